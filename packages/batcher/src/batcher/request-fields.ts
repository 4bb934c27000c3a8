import { BACKGROUND, rankOf } from "../queue/priority.js";
import type { RequestFields } from "../queue/queued-request.js";
import type { RequestOptions, Sink } from "../queue/request.js";
import type { BatcherConfig } from "./batcher-config.js";
import { shapeWith } from "./item-shape.js";

/**
 * Returns the fields of a request. Times are absolute.
 * @throws INVALID_INPUT for a shape out of range; what `shapeOf` and `contentKey` throw
 */
export function requestFields<Item, Result>(
  { shapeOf, contentKey, maxLatencyMs = Infinity }: BatcherConfig<Item, Result>,
  item: Item,
  sink: Sink<Result>,
  { key, priority, timeoutMs = Infinity, sinceMs }: RequestOptions,
  sequence: number,
  nowMs: number,
): RequestFields<Item, Result> {
  const enqueuedAtMs = sinceMs ?? nowMs;
  const rank = rankOf(priority);
  return {
    item,
    shape: shapeWith(shapeOf, item),
    sink,
    key,
    contentKey: contentKey?.(item),
    enqueuedAtMs,
    sequence,
    timeoutAtMs: enqueuedAtMs + timeoutMs,
    objectiveAtMs: rank === BACKGROUND ? Infinity : enqueuedAtMs + maxLatencyMs,
    rank,
  };
}
