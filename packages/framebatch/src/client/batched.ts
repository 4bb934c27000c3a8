import { Batcher } from "../core/batcher.js";
import { FramebatchError } from "../core/errors.js";
import type { BatcherStats } from "../core/statistics-snapshot.js";
import { enqueueAbortable } from "./abortable.js";
import { asyncDispose } from "./async-dispose.js";
import { BATCHER_OPTION_NAMES, resolveBatcherOptions } from "./batcher-options.js";
import { createFrameClock } from "./frame-clock.js";
import { FunctionEngine, type RunBatch } from "./function-engine.js";
import { checkNames, isRecord, refuseOption } from "./option-checks.js";
import type { BatchedOptions, PredictOptions } from "./options.js";
import { createPageClock, type PageClock } from "./page-clock.js";
import { enqueueMany } from "./predict-many.js";
import { checkPredictOptions } from "./predict-options.js";
import { PromiseSink } from "./promise-sink.js";

/** A function of one item whose calls are gathered into batches. */
export interface BatchedFunction<Item, Result> extends AsyncDisposable {
  /** Rejects with the error of this item, with the one that `runBatch` threw for it alone, or with a `FramebatchError`. */
  (item: Item, options?: PredictOptions): Promise<Result>;
  /**
   * A list; results are in its order. Rejects with the first failure: a `FramebatchError` whose `details.index` says which
   * item it was, and whose `cause` is the error of that item.
   */
  many(items: Iterable<Item>, options?: Omit<PredictOptions, "key">): Promise<Result[]>;
  /** Sends what is queued now, without waiting for company. */
  flush(): void;
  stats(): BatcherStats;
  resetStats(): void;
  /** Open and later calls reject with `DISPOSED`. */
  dispose(): Promise<void>;
}

/** A method of a list, before and after: calls of one instance ride together, and each gets the results of its own list. */
type ListMethod<This, Item, Result> = (this: This, items: readonly Item[]) => Promise<readonly Result[]>;

/** A standard (TC39) method decorator. */
export type BatchedDecorator<Item> = <This extends object, Result>(
  method: ListMethod<This, Item, Result>,
  context: ClassMethodDecoratorContext<This, ListMethod<This, Item, Result>>,
) => ListMethod<This, Item, Result>;

const OWN_OPTION_NAMES = ["shapeOf", "contentKey"];

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
 * same length, and the lists of all who call it on one instance are run together. Each instance has a batcher of its own.
 * @throws INVALID_OPTION at once.
 */
export function batched<Item>(options: BatchedOptions<Item>): BatchedDecorator<Item>;
export function batched<Item, Result>(
  first: RunBatch<Item, Result> | BatchedOptions<Item>,
  options: BatchedOptions<Item> = {},
): BatchedFunction<Item, Result> | BatchedDecorator<Item> {
  return typeof first === "object" && first !== null ? decorate(first) : batchedFunction(first, options);
}

function decorate<Item>(options: BatchedOptions<Item>): BatchedDecorator<Item> {
  // An instance makes its batcher at its first call, which is too late to hear of a wrong option.
  checkOptions(options);
  resolveBatcherOptions(options);
  return <This extends object, Result>(method: ListMethod<This, Item, Result>) => {
    const batchers = new WeakMap<This, BatchedFunction<Item, Result>>();
    return function (this: This, items: readonly Item[]): Promise<readonly Result[]> {
      let own = batchers.get(this);
      if (own === undefined) batchers.set(this, (own = batchedFunction((list) => method.call(this, list), options)));
      return own.many(items);
    };
  };
}

function batchedFunction<Item, Result>(
  runBatch: RunBatch<Item, Result>,
  options: BatchedOptions<Item>,
): BatchedFunction<Item, Result> {
  if (typeof runBatch !== "function")
    throw refuseOption("runBatch", "a function of a list", runBatch, "write async (items) => results");
  const clock = createPageClock();
  const batcher = createBatcher(runBatch, options, clock);
  const one = (item: Item, predictOptions: PredictOptions = {}): Promise<Result> =>
    new Promise((resolve, reject) => {
      checkPredictOptions(predictOptions);
      enqueueAbortable(batcher, item, new PromiseSink(resolve, reject), predictOptions);
    });
  const dispose = (): Promise<void> => {
    batcher.dispose(
      new FramebatchError("DISPOSED", "expected a batcher in use, got one that was disposed of; create a new one"),
    );
    clock.close();
    return Promise.resolve();
  };
  return Object.assign(one, {
    many: (items: Iterable<Item>, manyOptions: Omit<PredictOptions, "key"> = {}) =>
      enqueueMany(batcher, items, (item) => item, manyOptions),
    flush: () => batcher.flush(),
    stats: () => batcher.stats(),
    resetStats: () => batcher.resetStats(),
    dispose,
    [asyncDispose]: dispose,
  });
}

function createBatcher<Item, Result>(
  runBatch: RunBatch<Item, Result>,
  options: BatchedOptions<Item>,
  clock: PageClock,
): Batcher<Item, Result> {
  checkOptions(options);
  const { shapeOf } = options;
  const needsContent = options.dedupe === true || (options.resultCacheSize ?? 0) > 0;
  return new Batcher<Item, Result>({
    ...resolveBatcherOptions(options),
    clock,
    frames: createFrameClock(),
    engine: new FunctionEngine(runBatch),
    ...(shapeOf !== undefined && { shapeOf }),
    ...(needsContent && { contentKey: options.contentKey ?? ((item) => JSON.stringify(item)) }),
  });
}

function checkOptions(options: unknown): void {
  if (!isRecord(options)) throw refuseOption("options", "an object", options, "leave it out for the defaults");
  checkNames(options, [...BATCHER_OPTION_NAMES, ...OWN_OPTION_NAMES]);
  for (const name of OWN_OPTION_NAMES) {
    const value = options[name];
    if (value !== undefined && typeof value !== "function")
      throw refuseOption(name, "a function of an item", value, "leave it out");
  }
}
