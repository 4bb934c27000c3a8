import type { ReleaseReason } from "../decide/decide.js";
import type { Clock } from "@framebatch/host/clock.js";
import type { CompletedBatch, Origin } from "../queue/request.js";

/** A group of items that run together. */
export interface Batch<Item> {
  /** Sequence number within a batcher, starting at 1. */
  readonly id: number;
  /** At least one item. All items have the same `ItemShape.group`. */
  readonly items: readonly Item[];
  /** Number of rows to compute: `items.length`, rounded up to one of `allowedBatchSizes`. */
  readonly paddedSize: number;
  /** For each dimension that can be padded, the size that every item is padded to. */
  readonly extents: readonly number[];
  /**
   * Whether this is a single item at its own size, so that no other item and no padding can change its answer. The
   * engine may round a size that it cannot run.
   */
  readonly isAlone: boolean;
  readonly reason: ReleaseReason;
  /** Upper estimate of the run time, in milliseconds, from what is known when it is read; `null` while nothing is. */
  readonly predictedMs: number | null;
}

/** How a batch ended. */
export type Outcome<Result> =
  | {
      /** One result per item, in the order of the items. An `Error` fails only its own item. */
      readonly results: readonly (Result | Error)[];
      /** Time spent in the model itself, in milliseconds, if the engine measures it. */
      readonly inferenceMs?: number;
      /**
       * Number of rows of the run; 0 if nothing ran, because every item has an error.
       * @default `paddedSize` of the batch
       */
      readonly rows?: number;
      /**
       * Whether the batch has waited for the engine to start again. How long it took then shows nothing of what runs
       * cost.
       * @default false
       */
      readonly isDelayed?: boolean;
    }
  | {
      /** The whole batch failed. */
      readonly error: Error;
      /**
       * Whether parts of the batch may succeed if they run separately. `false` for an engine that has stopped
       * permanently.
       */
      readonly divisible: boolean;
      /**
       * Whether the same run would fail again, as when a model rejects its inputs. Unknown, and therefore `false`,
       * after a worker crash or when a server does not answer.
       * @default false
       */
      readonly isRepeatable?: boolean;
    };

/**
 * Sets what to call when no request of a batch needs its answer any more: each was aborted, has timed out or was
 * disposed of. The engine may then stop the run. The callback runs at most once, and never after `done`.
 */
export type WhenUnwanted = (callback: () => void) => void;

/** Runs batches: a model's worker, a server or a user's function. */
export interface Engine<Item, Result> {
  /** Starts a batch. Calls `done` exactly once and never synchronously. Must not throw. */
  run(batch: Batch<Item>, done: (outcome: Outcome<Result>) => void, whenUnwanted: WhenUnwanted): void;
}

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
