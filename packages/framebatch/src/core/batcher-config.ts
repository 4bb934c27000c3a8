import type { Clock, FrameClock } from "./clock.js";
import type { Engine, ItemShape } from "./engine.js";
import type { ErrorListener } from "./guard.js";
import type { ReleaseRule } from "./release-rules.js";
import type { CompletedBatch } from "./request.js";
import type { CostModelData } from "./cost-model.js";

/** What a batcher is made of. Options of users are checked before. Each function may throw: its requests reject, others go on. */
export interface BatcherConfig<Item, Result> {
  readonly clock: Clock;
  readonly frames: FrameClock;
  readonly engine: Engine<Item, Result>;
  /** `off` runs each request alone, at once. */
  readonly release: ReleaseRule | "off";
  /** Most requests in a batch, from 1. */
  readonly maxBatchSize: number;
  /** Ascending sizes that batches are padded up to, the last one `maxBatchSize`. @default none: sizes are exact */
  readonly allowedBatchSizes?: readonly number[];
  /** Rows that every run has, an item that runs alone included, which then fills them all. @default none: one item is one row */
  readonly fixedBatchSize?: number;
  /** Whether batches are trusted from the start, as `Batcher.trust` says later. @default true */
  readonly isTrusted?: boolean;
  /** `window` only: longest wait of the oldest request, in milliseconds. @default 10 */
  readonly maxQueueDelayMs?: number;
  /** Objective from call to result, in milliseconds. @default none */
  readonly maxLatencyMs?: number;
  /** Most requests waiting. @default unbounded */
  readonly maxQueueSize?: number;
  /** Batches that the engine runs side by side. At most two for each are in flight. @default 1 */
  readonly engines?: number;
  /** How long before the engine is free the next batch is handed over, in milliseconds: what a message takes. @default 0 */
  readonly handoverMs?: number;
  /** @default all alike */
  readonly shapeOf?: (item: Item) => ItemShape;
  /** The identity of an item's content, needed by the two options below; `undefined` for an item that has none. */
  readonly contentKey?: (item: Item) => string | undefined;
  /** Identical items that wait at the same time share a row. @default false */
  readonly dedupe?: boolean;
  /** Results kept for identical items. @default 0 */
  readonly resultCacheSize?: number;
  /** A result for each further request that shares it, where results are not to be shared. @default the result itself */
  readonly copyResult?: (result: Result) => Result;
  /** What an earlier batcher learned of the same engine. */
  readonly costData?: CostModelData;
  /** Called after a batch has been answered and its requests have settled. */
  readonly onBatch?: (batch: CompletedBatch) => void;
  /** Called with everything that was thrown by one of the functions here, or by the batcher itself. */
  readonly onError?: ErrorListener;
}
