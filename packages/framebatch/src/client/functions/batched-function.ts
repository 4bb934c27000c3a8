import { Batcher } from "../../core/batcher/batcher.js";
import type { Clock, FrameClock } from "../../core/clock.js";
import { FramebatchError } from "../../core/errors.js";
import type { BatcherStats } from "../../core/stats/stats.js";
import { enqueueAbortable } from "../requests/abortable.js";
import { asyncDispose } from "../page/async-dispose.js";
import { BATCHER_OPTION_NAMES, resolveBatcherOptions } from "../options/batcher-options.js";
import { contentKeyOf } from "./content-key.js";
import { FunctionEngine, type RunBatch } from "./function-engine.js";
import { reportUncaught } from "../page/host.js";
import { checkNames, isRecord, refuseOption } from "../options/option-checks.js";
import type { BatchedOptions, PredictOptions } from "../options/options.js";
import { enqueueMany } from "../requests/predict-many.js";
import { checkPredictOptions } from "../options/predict-options.js";
import { PromiseSink } from "../requests/sinks.js";

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

/** Where a batched function takes its time from. */
export interface Time {
  readonly clock: Clock;
  readonly frames: FrameClock;
  /** Called when the function is disposed of. */
  close(): void;
}

const OWN_OPTION_NAMES = ["shapeOf", "contentKey"];

/** @throws INVALID_OPTION. */
export function createBatchedFunction<Item, Result>(
  runBatch: RunBatch<Item, Result>,
  options: BatchedOptions<Item>,
  time: Time,
): BatchedFunction<Item, Result> {
  const batcher = createBatcher(runBatch, options, time);
  const one = (item: Item, predictOptions: PredictOptions = {}): Promise<Result> =>
    new Promise((resolve, reject) => {
      checkPredictOptions(predictOptions);
      enqueueAbortable(batcher, item, new PromiseSink(resolve, reject), predictOptions);
    });
  const dispose = (): Promise<void> => {
    batcher.dispose(
      new FramebatchError("DISPOSED", "expected a batcher in use, got one that was disposed of; create a new one"),
    );
    time.close();
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
  { clock, frames }: Time,
): Batcher<Item, Result> {
  checkBatchedOptions(options);
  const { shapeOf } = options;
  const needsContent = options.dedupe === true || (options.resultCacheSize ?? 0) > 0;
  return new Batcher<Item, Result>({
    ...resolveBatcherOptions(options),
    clock,
    frames,
    engine: new FunctionEngine(runBatch),
    onError: (error, rejected) => {
      if (rejected === 0) reportUncaught(error);
    },
    ...(shapeOf !== undefined && { shapeOf }),
    ...(needsContent && { contentKey: options.contentKey ?? contentKeyOf }),
  });
}

/** Checks everything but the values of the batcher's own options. @throws INVALID_OPTION. */
export function checkBatchedOptions(options: unknown): void {
  if (!isRecord(options)) throw refuseOption("options", "an object", options, "leave it out for the defaults");
  checkNames(options, [...BATCHER_OPTION_NAMES, ...OWN_OPTION_NAMES]);
  for (const name of OWN_OPTION_NAMES) {
    const value = options[name];
    if (value !== undefined && typeof value !== "function")
      throw refuseOption(name, "a function of an item", value, "leave it out");
  }
}
