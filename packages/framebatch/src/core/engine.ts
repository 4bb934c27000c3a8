/**
 * Why a batch left:
 * - `full`: as many requests waited as a batch should hold.
 * - `idle`: the engine was free, and nothing spoke for waiting.
 * - `frame`: waiting longer would have missed the next paint.
 * - `window`: the oldest request had waited for `maxQueueDelayMs`.
 * - `flush`: the caller asked.
 * - `unbatched`: batching is off.
 * - `retry`: part of a batch that failed, run again to find the request that fails.
 */
export type ReleaseReason = "full" | "idle" | "frame" | "window" | "flush" | "unbatched" | "retry";

/** Every release reason, in the order in which reports show them. */
export const RELEASE_REASONS: readonly ReleaseReason[] = [
  "full",
  "idle",
  "frame",
  "window",
  "flush",
  "unbatched",
  "retry",
];

/** A group of items that run together. */
export interface Batch<Item> {
  /** Counts from 1 in each batcher. */
  readonly id: number;
  /** At least one; all of one group (`ItemShape.group`). */
  readonly items: readonly Item[];
  /** Rows to compute: `items.length`, or the next of `allowedBatchSizes`. */
  readonly paddedSize: number;
  /** Per paddable dimension, the size that every item is padded to. */
  readonly extents: readonly number[];
  /** Whether this is one item at its own size, whose answer no other item and no padding can change. */
  readonly isAlone: boolean;
  readonly reason: ReleaseReason;
  /** Longest time that it should take, in milliseconds; `null` while nothing is known of run times. */
  readonly predictedMs: number | null;
}

/** How a batch ended. */
export type Outcome<Result> =
  | {
      /** One for each item, in the items' order; an `Error` fails its own item alone. */
      readonly results: readonly (Result | Error)[];
      /** Time spent in the model itself, in milliseconds, where the engine can tell. */
      readonly inferenceMs?: number;
    }
  | {
      /** The whole batch failed. */
      readonly error: Error;
      /** Whether running parts of the batch may succeed. `false` for an engine that is gone for good. */
      readonly divisible: boolean;
      /**
       * Whether the same run would fail again, as a model's own refusal of its inputs would; of a worker that died, or a
       * server that did not answer, nobody knows. @default false
       */
      readonly isRepeatable?: boolean;
    };

/** What runs batches: the worker of a model, or a user's function. */
export interface Engine<Item, Result> {
  /** Starts a batch. Calls `done` exactly once, never synchronously, and never throws. */
  run(batch: Batch<Item>, done: (outcome: Outcome<Result>) => void): void;
}

/** What decides who may ride with whom, and what a row costs. */
export interface ItemShape {
  /** Items of different groups never share a batch: other types, ranks, or values of a shared input. */
  readonly group: string;
  /** Sizes that padding can raise, each already rounded up to its bucket. Empty where nothing is padded. */
  readonly extents: readonly number[];
  /** The item's own sizes, before any rounding up, for when it runs alone. @default `extents` */
  readonly ownExtents?: readonly number[];
  /** The item's own volume, before any rounding up; for `paddingWaste`. @default the product of `extents` */
  readonly volume?: number;
}
