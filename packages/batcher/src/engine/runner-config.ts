import type { Clock } from "@framebatch/host/clock.js";
import type { CompletedBatch, Origin } from "../queue/request.js";
import type { Engine } from "./engine.js";

/** The options of `BatcherConfig` that the runner uses. */
export interface RunnerConfig<Item, Result> {
  readonly clock: Clock;
  readonly engine: Engine<Item, Result>;
  /**
   * Number of batches that the engine runs in parallel. At most two for each are in flight, except with `release:
   * "off"`.
   * @default 1
   */
  readonly engines?: number;
  /** `off` runs each item alone, at its own size. */
  readonly release: string;
  /**
   * Sizes that batches are padded up to, ascending; the last one is `maxBatchSize`.
   * @default none: batches are not padded
   */
  readonly allowedBatchSizes?: readonly number[];
  /** Number of rows of a run that is not trusted, for a model that takes no other. @default 1 */
  readonly fixedBatchSize?: number;
  /** Whether a batch that fails runs again in parts, as far as its failure says that it may. @default true */
  readonly bisect?: boolean;
  /** Where the engine runs. @default "device" */
  readonly origin?: Origin;
  /** Called after a batch has been answered and its requests have settled. */
  readonly onBatch?: (batch: CompletedBatch) => void;
}
