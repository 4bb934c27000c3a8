import { rankOf } from "../queue/priority.js";
import type { RequestFields } from "../queue/queued-request.js";
import type { RequestOptions } from "../queue/request.js";
import type { BatcherConfig } from "./batcher-config.js";
import { shapeWith } from "./item-shape.js";

/**
 * Returns the fields of a request that follow from its item and its options. Times are absolute.
 * @throws INVALID_INPUT for a shape out of range; what `shapeOf` and `contentKey` throw
 */
export function requestFields<Item, Result>(
  { shapeOf, contentKey, maxLatencyMs = Infinity }: BatcherConfig<Item, Result>,
  item: Item,
  { key, priority, timeoutMs = Infinity, sinceMs }: RequestOptions,
  nowMs: number,
): Omit<RequestFields<Item, Result>, "sink" | "sequence"> {
  const enqueuedAtMs = sinceMs ?? nowMs;
  return {
    item,
    shape: shapeWith(shapeOf, item),
    key,
    contentKey: contentKey?.(item),
    enqueuedAtMs,
    timeoutAtMs: enqueuedAtMs + timeoutMs,
    objectiveAtMs: enqueuedAtMs + maxLatencyMs,
    rank: rankOf(priority),
  };
}
