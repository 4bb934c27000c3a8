import {
  type BatchedFunction,
  checkBatchedOptions,
  createBatchedFunction,
  type RunBatch,
  type Time,
} from "./batched-function.js";
import { createFrameClock, pageClock } from "@framebatch/host/host-timer.js";
import { optionError } from "../errors/option-errors.js";
import type { BatchedOptions } from "../options/options.js";
import { copyOptions } from "../options/copy-options.js";

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

/**
 * A method that takes a list of items and resolves to a list of results of the same length. Decorating keeps this type.
 */
type ListMethod<This, Item, Result> = (this: This, items: readonly Item[]) => Promise<readonly Result[]>;

type StandardContext<This, Item, Result> = ClassMethodDecoratorContext<This, ListMethod<This, Item, Result>>;

type LegacyDescriptor<This, Item, Result> = TypedPropertyDescriptor<ListMethod<This, Item, Result>>;

/**
 * A method decorator, which `batched(options)` makes. Calls on one instance share batches, and each call gets the
 * results of its own list.
 */
export interface BatchedDecorator<Item> {
  /** Decorates a method of a class that is compiled with `experimentalDecorators`. */
  <This extends object, Each extends Item, Result>(
    prototype: This,
    name: string | symbol,
    descriptor: LegacyDescriptor<This, Each, Result>,
  ): void;
  /** Decorates a method as a standard (TC39) decorator. */
  <This extends object, Result>(
    method: ListMethod<This, Item, Result>,
    context: StandardContext<This, Item, Result>,
  ): ListMethod<This, Item, Result>;
  /**
   * Disposes the batchers of one instance: open and later calls of its methods with this decorator reject with
   * `DISPOSED`. Calling it is optional: an unreferenced instance is garbage-collected together with its batchers.
   */
  dispose(instance: object): Promise<void>;
}

/**
 * Creates a decorator that gives each instance its own batcher. All batchers of one decorator share `time`. A batcher
 * does not keep its instance alive once its requests have settled.
 * @throws INVALID_OPTION when a name or a value is not allowed.
 */
export function createDecorator<Item>(given: BatchedOptions<Item>, time: Time): BatchedDecorator<Item> {
  // An instance creates its batcher only at its first call.
  const options = copyOptions(given);
  checkBatchedOptions(options);
  const instances = new Instances();
  const batch = <This extends object, Each extends Item, Result>(method: ListMethod<This, Each, Result>) => {
    const batchers = new WeakMap<This, BatchedFunction<Each, Result>>();
    return function (this: This, items: readonly Each[]): Promise<readonly Result[]> {
      let own = batchers.get(this);
      if (own === undefined) {
        own = createBatchedFunction<Each, Result>((list) => method.call(this, list), options, time);
        batchers.set(this, own);
        instances.add(this, own);
      }
      return own.many(items);
    };
  };
  function decorate<This extends object, Each extends Item, Result>(
    prototype: This,
    name: string | symbol,
    descriptor: LegacyDescriptor<This, Each, Result>,
  ): void;
  function decorate<This extends object, Result>(
    method: ListMethod<This, Item, Result>,
    context: StandardContext<This, Item, Result>,
  ): ListMethod<This, Item, Result>;
  function decorate<This extends object, Result>(
    ...decorated:
      | [method: ListMethod<This, Item, Result>, context: object]
      | [prototype: This, name: string | symbol, descriptor: LegacyDescriptor<This, Item, Result>]
  ): ListMethod<This, Item, Result> | void {
    if (decorated.length === 2) return batch(decorated[0]);
    const [, , descriptor] = decorated;
    if (descriptor.value !== undefined) descriptor.value = batch(descriptor.value);
  }
  return Object.assign(decorate, { dispose: (instance: object) => instances.dispose(instance) });
}

type Disposable = Pick<BatchedFunction<never, unknown>, "dispose">;

/** The batchers of each instance, held weakly, so that they do not keep the instance alive. */
class Instances {
  readonly #batchers = new WeakMap<object, Disposable[]>();
  readonly #disposed = new WeakSet<object>();

  add(instance: object, batcher: Disposable): void {
    if (this.#disposed.has(instance)) void batcher.dispose();
    else this.#batchers.set(instance, [...(this.#batchers.get(instance) ?? []), batcher]);
  }

  async dispose(instance: object): Promise<void> {
    this.#disposed.add(instance);
    for (const batcher of this.#batchers.get(instance) ?? []) await batcher.dispose();
  }
}
