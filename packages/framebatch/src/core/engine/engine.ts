import type { ReleaseReason } from "../release-reason.js";

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
