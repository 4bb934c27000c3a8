import { createBatchedFunction, type BatchedFunction, type Time } from "./batched-function.js";
import { createDecorator, type BatchedDecorator } from "./batched-method.js";
import { createFrameClock } from "../page/frame-clock.js";
import type { RunBatch } from "./function-engine.js";
import { refuseOption } from "../options/option-checks.js";
import type { BatchedOptions } from "../options/options.js";
import { createPageClock } from "../page/page-clock.js";

/**
 * Batches any function from a list to a list of the same length: a model of another library, a call to a server. An
 * `Error` among the results fails its own item alone. When `runBatch` throws, the batch is halved until the item that
 * makes it throw stands alone, so `runBatch` may see an item more than once.
 * @throws INVALID_OPTION at once.
 */
export function batched<Item, Result>(
  runBatch: RunBatch<Item, Result>,
  options?: BatchedOptions<Item>,
): BatchedFunction<Item, Result>;
/**
 * As a method decorator, `@batched({ maxBatchSize: 64 })`: the method goes on taking a list and returning one of the
 * same length, and the lists of all callers of one instance are run together. Each instance has a batcher of its own,
 * which lives as long as the instance; to dispose of it before, name the decorator and call its `dispose(instance)`.
 * @throws INVALID_OPTION at once.
 */
export function batched<Item>(options: BatchedOptions<Item>): BatchedDecorator<Item>;
export function batched<Item, Result>(
  first: RunBatch<Item, Result> | BatchedOptions<Item>,
  options: BatchedOptions<Item> = {},
): BatchedFunction<Item, Result> | BatchedDecorator<Item> {
  const time = pageTime();
  if (typeof first === "object" && first !== null) return createDecorator(first, { ...time, close() {} });
  if (typeof first !== "function")
    throw refuseOption("runBatch", "a function of a list", first, "write async (items) => results");
  return createBatchedFunction(first, options, time);
}

function pageTime(): Time {
  const clock = createPageClock();
  return { clock, frames: createFrameClock(), close: () => clock.close() };
}
