import type { Backend } from "./results.js";
import type { Subset } from "./run/plan.js";

/** A user's model. */
export interface OwnModel {
  readonly name: string;
  readonly url: string;
  /** The length of every item, if a dimension is dynamic. @default lengths from 8 to 64 */
  readonly length?: number;
}

/** The measurements of a run and their time limits. All times are in ms. */
export interface RunSpec {
  readonly backend: Backend;
  /** A user's model to measure instead of the benchmark's own; `null` for the benchmark's own. */
  readonly ownModel: OwnModel | null;
  /** Names of the lanes to measure. */
  readonly lanes: readonly string[];
  readonly subset: Subset;
  /** Names of the loads to measure. @default all of the subset */
  readonly loads?: readonly string[];
  /** Only these groups, as `model/load`. @default all of the subset */
  readonly groups?: readonly string[];
  /** Only cells whose `model/backend/load/lane` contains this; "" for all. */
  readonly only: string;
  /** Before each load, its callers use the first lane for this time, which is not measured. @default 0 */
  readonly trafficMs?: number;
  /** Seed for the inputs, the order of lanes in each round, and the bootstrap samples. */
  readonly seed: number;
  /** Number of slices of each lane for each load. */
  readonly rounds: number;
  readonly sliceMs: number;
  /** Maximum length of a slice in which the callers have not completed eight rounds. */
  readonly longestSliceMs: number;
  /**
   * Maximum time for the `leastRounds` of a load with sequential calls. A load that needs longer is skipped, unless
   * `only` selects it.
   */
  readonly longestNeedMs: number;
  /** Total time. If it is too short, rounds and then cells are skipped. Skipped cells are listed in `gaps`. */
  readonly budgetMs: number;
}
