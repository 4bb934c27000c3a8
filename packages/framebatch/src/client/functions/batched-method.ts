import { checkBatchedOptions, createBatchedFunction, type BatchedFunction, type Time } from "./batched-function.js";
import { resolveBatcherOptions } from "../options/batcher-options.js";
import type { BatchedOptions } from "../options/options.js";

/** A method of a list, before and after: calls of one instance share batches, and each gets the results of its own list. */
type ListMethod<This, Item, Result> = (this: This, items: readonly Item[]) => Promise<readonly Result[]>;

/** A standard (TC39) method decorator. */
export interface BatchedDecorator<Item> {
  <This extends object, Result>(
    method: ListMethod<This, Item, Result>,
    context: ClassMethodDecoratorContext<This, ListMethod<This, Item, Result>>,
  ): ListMethod<This, Item, Result>;
  /**
   * Disposes of the batchers of one instance: open and later calls of the methods that this decorator is on reject with
   * `DISPOSED`. No leak comes of leaving it out: an instance that nothing refers to is collected with its batchers.
   */
  dispose(instance: object): Promise<void>;
}

/**
 * All batchers of one decorator share `time`, and none of them keeps its instance alive once its requests have settled.
 * @throws INVALID_OPTION.
 */
export function createDecorator<Item>(options: BatchedOptions<Item>, time: Time): BatchedDecorator<Item> {
  // An instance gets its batcher at its first call, which is too late to report a wrong option.
  checkBatchedOptions(options);
  resolveBatcherOptions(options);
  const instances = new Instances();
  const decorate = <This extends object, Result>(method: ListMethod<This, Item, Result>) => {
    const batchers = new WeakMap<This, BatchedFunction<Item, Result>>();
    return function (this: This, items: readonly Item[]): Promise<readonly Result[]> {
      let own = batchers.get(this);
      if (own === undefined) {
        own = createBatchedFunction((list) => method.call(this, list), options, time);
        batchers.set(this, own);
        instances.add(this, own);
      }
      return own.many(items);
    };
  };
  return Object.assign(decorate, { dispose: (instance: object) => instances.dispose(instance) });
}

type Disposable = Pick<BatchedFunction<never, unknown>, "dispose">;

/** The batchers of each instance, without keeping the instance alive. */
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
