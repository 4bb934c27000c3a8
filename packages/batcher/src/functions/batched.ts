import { createBatchedFunction, type BatchedFunction, type RunBatch } from "./batched-function.js";
import { createDecorator, type BatchedDecorator } from "./batched-method.js";
import { createFrameClock } from "@framebatch/host/frame-clock.js";
import { optionError } from "../errors/option-errors.js";
import type { BatchedOptions } from "../options/options.js";
import { pageClock } from "@framebatch/host/host-timer.js";

/**
 * Batches calls of any function that takes a list and returns a list of the same length, such as a model of another
 * library or a call to a server. An `Error` among the results rejects only its own item. When `runBatch` throws, the
 * batch is halved until the item that causes the error runs alone, so `runBatch` may get an item more than once. It is
 * not halved with `bisect: false`, nor if the error says nothing about an item: an abort, a timeout, a network that
 * fails, or the status of a server that is busy or broken. Then all items of the batch reject with the error.
 * @param runBatch computes one result for each item, in order
 * @throws INVALID_OPTION at the call when `runBatch` is not a function, or an option has a wrong name or value.
 * @example
 * ```ts
 * const embed = batched(async (texts: readonly string[]) => extractor(texts), { maxBatchSize: 32 });
 * const vector = await embed("one text");
 * ```
 */
export function batched<Item, Result>(
  runBatch: RunBatch<Item, Result>,
  options?: BatchedOptions<Item>,
): BatchedFunction<Item, Result>;
/**
 * Makes a method decorator. The method still takes a list and returns one of the same length, but the lists of all
 * callers of one instance run together. Each instance has its own batcher, which lives as long as the instance. To
 * dispose it earlier, keep the decorator in a variable and call its `dispose(instance)`.
 * @throws INVALID_OPTION at the call when an option has a wrong name or value.
 * @example
 * ```ts
 * class Search {
 *   @batched({ maxBatchSize: 64 })
 *   async rank(queries: readonly string[]): Promise<readonly number[]> {
 *     return score(queries);
 *   }
 * }
 * ```
 */
// The text is no value to pass: the compiler quotes it for a function that is not a `RunBatch`.
export function batched<Item>(
  options:
    | BatchedOptions<Item>
    | "a function of a list, that returns a list of the same length: async (items) => results",
): BatchedDecorator<Item>;
export function batched<Item, Result>(
  first: RunBatch<Item, Result> | BatchedOptions<Item> | string,
  options: BatchedOptions<Item> = {},
): BatchedFunction<Item, Result> | BatchedDecorator<Item> {
  const time = { clock: pageClock, frames: createFrameClock() };
  if (typeof first === "object" && first !== null) return createDecorator(first, time);
  if (typeof first !== "function")
    throw optionError("runBatch", "a function of a list", first, "write async (items) => results");
  return createBatchedFunction(first, options, time);
}
