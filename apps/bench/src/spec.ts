import type { Backend } from "./results.js";
import type { Subset } from "./run/plan.js";

/** What `bench.run` is to measure, and how long it may take. Every time in milliseconds. */
export interface RunSpec {
  readonly backend: Backend;
  /** Somebody's model, measured in place of the benchmark's own; `null` for those. */
  readonly ownModel: { readonly name: string; readonly url: string } | null;
  /** Names of the lanes to measure. */
  readonly lanes: readonly string[];
  readonly subset: Subset;
  /** Only cells whose `model/backend/load/lane` contains this; "" for all. */
  readonly only: string;
  /** Decides the inputs, the order of lanes in each round, and the draws of the intervals. */
  readonly seed: number;
  /** Slices that each lane gets for each load. */
  readonly rounds: number;
  readonly sliceMs: number;
  /** A slice in which the callers have not got round four times goes on for up to this long. */
  readonly longestSliceMs: number;
  /** A load that would need longer than this for its `leastRounds`, one call at a time, is left out, unless `only` asks for it. */
  readonly longestNeedMs: number;
  /** All in all. Rounds, and then cells, are left out where it does not suffice; a cell left out is named in `gaps`. */
  readonly budgetMs: number;
}
