import { rankOf } from "../queue/priority.js";
import { QueuedRequest, type RequestOwner } from "../queue/queued-request.js";
import type { RequestOptions, Sink } from "../queue/request.js";
import type { BatcherConfig } from "./batcher-config.js";
import { shapeWith } from "./item-shape.js";

/** A request as its caller makes it. */
export interface Asked<Item, Result> {
  readonly item: Item;
  readonly sink: Sink<Result>;
  readonly options: RequestOptions;
  /** Order of arrival. */
  readonly sequence: number;
  readonly nowMs: number;
}

/**
 * Returns a request with the absolute times of its options.
 * @throws INVALID_INPUT for a shape out of range; what `shapeOf` and `contentKey` throw
 */
export function newRequest<Item, Result>(
  owner: RequestOwner<Item, Result>,
  { shapeOf, contentKey, maxLatencyMs = Infinity }: BatcherConfig<Item, Result>,
  { item, sink, options, sequence, nowMs }: Asked<Item, Result>,
): QueuedRequest<Item, Result> {
  const { key, priority, timeoutMs = Infinity, sinceMs = nowMs } = options;
  return new QueuedRequest<Item, Result>(owner, {
    item,
    shape: shapeWith(shapeOf, item),
    sink,
    key,
    contentKey: contentKey?.(item),
    enqueuedAtMs: sinceMs,
    sequence,
    timeoutAtMs: sinceMs + timeoutMs,
    objectiveAtMs: sinceMs + maxLatencyMs,
    rank: rankOf(priority),
  });
}
