import { Batcher } from "../batcher/batcher.js";
import type { Clock, FrameClock } from "@framebatch/host/clock.js";
import { FramebatchError, asError } from "../errors/errors.js";
import type { BatcherStats } from "../stats/stats.js";
import { enqueueAbortable } from "../calls/abortable.js";
import { type Disposing } from "@framebatch/host/disposing.js";
import { asyncDispose } from "@framebatch/host/async-dispose.js";
import { BATCHER_OPTION_NAMES, checkBatcherOptions } from "../options/batcher-checks.js";
import { type BatchedOptions, batcherSettings, type PredictOptions } from "../options/options.js";
import { contentKeys } from "./content-keys.js";
import { copyOptions } from "../options/copy-options.js";
import { checkedShape } from "../batcher/batcher-config.js";
import { reportUncaught } from "@framebatch/host/page.js";
import { check, checkNames, isBoolean, isOptionsObject, type OptionCheck } from "../options/option-checks.js";
import { optionError } from "../errors/option-errors.js";
import { enqueueMany } from "../calls/predict-many.js";
import { checkPredictOptions } from "../options/predict-options.js";
import type { Batch, Engine, Outcome } from "../engine/engine.js";
import { isAboutItems } from "../errors/blame.js";
import { isError } from "../errors/guard.js";

/**
 * A function of one item whose calls run in batches. `batched` makes it. Items are passed to `runBatch` as they are,
 * without a copy.
 */
export interface BatchedFunction<Item, Result> extends Disposing {
  /**
   * Queues one item and resolves to its result.
   * @throws the `Error` that `runBatch` returned for this item, or threw for it alone; what it threw for the whole
   * batch, if that is not halved (see `bisect`); INVALID_OPTION; OVERLOADED when the queue is full or `maxLatencyMs`
   * cannot be met; TIMED_OUT after `timeoutMs`; SUPERSEDED by a newer call with the same `key`; INFERENCE_FAILED when
   * `runBatch` returns no list or one of the wrong length; DISPOSED; `signal.reason` on an abort.
   * @example const vector = await embed("one text", { timeoutMs: 500 });
   */
  (item: Item, options?: PredictOptions): Promise<Result>;
  /**
   * Queues a list of items and resolves to their results, in the order of the list. The first failure rejects the list
   * and takes the other items out of the queue.
   * @throws a `FramebatchError` whose `details.index` is the index of the failed item and whose `cause` is that item's
   * error; INVALID_OPTION when `options` has a `key`; `signal.reason` on an abort.
   * @example const vectors = await embed.many(["a", "b", "c"]);
   */
  many(items: Iterable<Item>, options?: Omit<PredictOptions, "key">): Promise<Result[]>;
  /** Dispatches all queued items now, without waiting for others to join. */
  flush(): void;
  /** Returns a snapshot of the statistics since the function was created, or since the last `resetStats`. */
  stats(): BatcherStats;
  /** Starts the statistics again from zero. Open calls count as accepted in the new statistics. */
  resetStats(): void;
  /** Ends the batcher: open and later calls reject with `DISPOSED`. Safe to call more than once. */
  dispose(): Promise<void>;
}

/** The sources of time of a batched function. */
export interface Time {
  readonly clock: Clock;
  readonly frames: FrameClock;
}

const isFunction = /* @__PURE__ */ check(
  (value) => typeof value === "function",
  "a function of an item",
  "leave it out",
);

/** The checks of the options that only `batched` has. */
const OWN_CHECKS: Readonly<Record<string, OptionCheck>> = {
  shapeOf: isFunction,
  contentKey: isFunction,
  bisect: /* @__PURE__ */ check(isBoolean, "true or false", "leave it out for true"),
};

/**
 * Creates a batched function that runs on the given clocks.
 * @throws INVALID_OPTION when a name or a value is not allowed.
 */
export function createBatchedFunction<Item, Result>(
  runBatch: RunBatch<Item, Result>,
  options: BatchedOptions<Item>,
  time: Time,
): BatchedFunction<Item, Result> {
  const batcher = createBatcher(runBatch, options, time);
  const one = (item: Item, predictOptions?: PredictOptions): Promise<Result> =>
    new Promise((resolve, reject) => {
      const sink = { resolve, reject };
      if (predictOptions === undefined) return void batcher.enqueue(item, sink);
      checkPredictOptions(predictOptions);
      enqueueAbortable(batcher, item, sink, predictOptions);
    });
  const dispose = (): Promise<void> => {
    batcher.dispose(
      new FramebatchError("DISPOSED", "expected a batcher in use, got one that was disposed of; create a new one"),
    );
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
  given: BatchedOptions<Item>,
  { clock, frames }: Time,
): Batcher<Item, Result> {
  const options = copyOptions(given);
  checkBatchedOptions(options);
  const { shapeOf, bisect } = options;
  const needsContent = options.dedupe === true || (options.resultCacheSize ?? 0) > 0;
  return new Batcher<Item, Result>({
    ...batcherSettings(options),
    clock,
    frames,
    engine: new FunctionEngine(runBatch),
    onError: (error, rejected) => {
      if (rejected === 0) reportUncaught(error);
    },
    ...(shapeOf !== undefined && { shapeOf: (item: Item) => checkedShape(shapeOf(item)) }),
    ...(bisect !== undefined && { bisect }),
    ...(needsContent && { contentKey: options.contentKey ?? contentKeys() }),
  });
}

/**
 * Checks the names and values of all options.
 * @throws INVALID_OPTION when a name or a value is not allowed.
 */
export function checkBatchedOptions(options: unknown): void {
  if (!isOptionsObject(options)) throw optionError("options", "an object", options, "leave it out for the defaults");
  checkNames(options, [...BATCHER_OPTION_NAMES, ...Object.keys(OWN_CHECKS)]);
  for (const [name, checkOption] of Object.entries(OWN_CHECKS)) {
    if (options[name] !== undefined) checkOption(options[name], name);
  }
  checkBatcherOptions(options);
}

/**
 * Computes the results of a batch: one for each item, in the order of the items. An `Error` in the list rejects only
 * its own item. The list of items is a copy for this call. With `allowedBatchSizes` its last item may be repeated as
 * padding, and each repetition needs a result too. The function may return a promise or the list itself.
 */
export type RunBatch<Item, Result> = (
  items: Item[],
) => Promise<readonly (Result | Error)[]> | readonly (Result | Error)[];

/**
 * Runs batches with a function. To pad a batch, it repeats the last item and drops the surplus results.
 */
export class FunctionEngine<Item, Result> implements Engine<Item, Result> {
  readonly #runBatch: RunBatch<Item, Result>;

  constructor(runBatch: RunBatch<Item, Result>) {
    this.#runBatch = runBatch;
  }

  run(batch: Batch<Item>, done: (outcome: Outcome<Result>) => void): void {
    void this.#run(batch, done);
  }

  async #run({ items, paddedSize }: Batch<Item>, done: (outcome: Outcome<Result>) => void): Promise<void> {
    let outcome: Outcome<Result>;
    try {
      // A copy of the list: an untyped function may empty it while it works.
      const padded = [...items];
      while (padded.length < paddedSize) padded.push(items.at(-1)!);
      const results = await this.#runBatch(padded);
      // An untyped function may return anything.
      const list: unknown = results;
      if (!Array.isArray(list)) throw notAList(list);
      outcome = { results: results.length === paddedSize ? results.slice(0, items.length) : results };
    } catch (thrown) {
      const error = isError(thrown) ? thrown : asError(thrown);
      outcome = { error, divisible: isAboutItems(error) };
    }
    done(outcome);
  }
}

function notAList(got: unknown): FramebatchError {
  const message = `runBatch: expected a list of results, got ${typeof got}; return one result for each item, in order`;
  return new FramebatchError("INFERENCE_FAILED", message);
}
