import type { RunnerConfig } from "../engine/batch-runner.js";
import type { CostModelData } from "../cost/cost-model.js";
import type { ErrorListener } from "../guard.js";
import type { TrackerConfig } from "../requests/request-tracker.js";
import type { SchedulerConfig } from "../schedule/scheduler-parts.js";
import type { ItemShape } from "../shape.js";

/** What a batcher is made of. User options are validated earlier. If one of the functions throws, its requests reject and others go on. */
export interface BatcherConfig<Item, Result>
  extends TrackerConfig<Result>, Omit<RunnerConfig<Item, Result>, "release">, SchedulerConfig {
  /** Largest number of requests in a batch, from 1. */
  readonly maxBatchSize: number;
  /** Whether batches are trusted from the start, as `Batcher.trust` says later. @default true */
  readonly isTrusted?: boolean;
  /** Largest number of waiting requests. @default unbounded */
  readonly maxQueueSize?: number;
  /** @default all alike */
  readonly shapeOf?: (item: Item) => ItemShape;
  /** The identity of an item's content, needed by `dedupe` and `resultCacheSize`; `undefined` for an item that has none. */
  readonly contentKey?: (item: Item) => string | undefined;
  /** Identical items that wait at the same time share a row. @default false */
  readonly dedupe?: boolean;
  /** What an earlier batcher learned about the same engine. */
  readonly costData?: CostModelData;
  /** Receives everything that one of these functions, or the batcher itself, throws. */
  readonly onError?: ErrorListener;
}
