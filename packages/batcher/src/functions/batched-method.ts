import { checkBatchedOptions, createBatchedFunction, type BatchedFunction, type Time } from "./batched-function.js";
import { copyOptions } from "../options/copy-options.js";
import type { BatchedOptions } from "../options/options.js";

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
