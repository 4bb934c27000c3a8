import { BATCHER_OPTION_NAMES, checkBatcherOptions } from "@framebatch/batcher/options/batcher-checks.js";
import { optionError } from "@framebatch/batcher/errors/option-errors.js";
import {
  check,
  checkNames,
  isAmount,
  isBoolean,
  isOptionsObject,
  type OptionCheck,
} from "@framebatch/batcher/options/option-checks.js";
import type { BatcherOptions, BatchedOptions } from "@framebatch/batcher/options/options.js";
import { checkUserSamples, isFunction, WORKER_CHECKS } from "../../client/options/worker-checks.js";
import type { BatchCheck } from "../../transport/protocol.js";
import type { BatcherStats } from "@framebatch/batcher/stats/stats.js";
import type { ModelState, Predictor } from "../../client/options/model.js";
import type { LoadProgress } from "../../client/options/options.js";

/** Options of `createBatchedWorker`: those of `batched`, and those of a worker. */
export interface BatchedWorkerOptions<Input> extends BatchedOptions<Input> {
  /**
   * Example items, as `run` takes them. The first one is run before the engine is ready, so that the first caller does
   * not wait for what the engine compiles at its first run. `verify` compares all of them. They are copied at the call.
   * @default none
   * @example await createBatchedWorker(startWorker, { samples: ["a short text", "a text that is a little longer"] });
   */
  readonly samples?: readonly Input[];
  /**
   * Checks, before the engine is ready, that the samples get the same results in a batch as alone; needs at least two.
   * If they do not, the engine gets items one by one, the event `error` says so, and `stats().batchCheck` says how they
   * differ. `agrees` of the engine compares two results. Without it, everything must be equal but numbers, which may
   * differ by `tolerance` times the number or, in a list, times the mean magnitude of the list. `true` stands for a
   * tolerance of 0.001. Off by default: many engines give a text in a batch slightly other numbers than alone.
   * @default false
   * @example await createBatchedWorker(startWorker, { samples: photos, verify: { tolerance: 0.01 } });
   */
  readonly verify?: boolean | { readonly tolerance: number };
  /**
   * Number of workers that run batches in parallel: an integer from 1 to 16. Each one loads its own engine.
   * @default 1
   * @example await createBatchedWorker(startWorker, { instances: 2 });
   */
  readonly instances?: number;
  /**
   * Maximum time of a run, in milliseconds: an integer from 100 to 3,600,000. A worker that is silent for longer is
   * replaced, and its run repeated once.
   * @default 20 times the predicted time, and at least 10 s; 60 s while no run time is known
   * @example await createBatchedWorker(startWorker, { runTimeoutMs: 5000 });
   */
  readonly runTimeoutMs?: number;
  /**
   * Receives the progress of the first load: `download` with what the engine's `load` reports, `warmup` when it has
   * loaded, and `ready`. An error that it throws is reported as an uncaught error and does not stop the load.
   * @default none
   * @example await createBatchedWorker(startWorker, { onProgress: ({ phase }) => show(phase) });
   */
  readonly onProgress?: (progress: LoadProgress) => void;
  /**
   * Aborts the load: the promise rejects with `signal.reason`. Has no effect once the engine is ready.
   * @default none
   * @example await createBatchedWorker(startWorker, { signal: controller.signal });
   */
  readonly signal?: AbortSignal;
}

/** Statistics of a `BatchedWorker`: those of its batcher, and facts about its engine. A plain object. */
export interface BatchedWorkerStats extends BatcherStats {
  /** The state of the engine. */
  readonly state: ModelState;
  /** Size of the WebAssembly memory of the workers, in bytes. Does not include the memory of a GPU. */
  readonly memoryBytes: number;
  /** Number of workers that run batches: the option `instances`. */
  readonly instances: number;
  /** Whether batches give the same results as single items: `passed` or `failed` with `verify`, otherwise `skipped`. */
  readonly batchCheck: BatchCheck;
}

/** An engine of your own in a worker, ready to predict. `createBatchedWorker` makes it. */
export interface BatchedWorker<Input, Output> extends Predictor<Input, Output> {
  /** Returns a snapshot of the statistics since the worker was created, or since the last `resetStats`. */
  stats(): BatchedWorkerStats;
}

const CHECKS: Readonly<Record<Exclude<keyof BatchedWorkerOptions<unknown>, keyof BatcherOptions>, OptionCheck>> = {
  ...WORKER_CHECKS,
  contentKey: check(isFunction, "a function of an item", "leave it out"),
  bisect: check(isBoolean, "true or false", "leave it out for true"),
  samples: checkUserSamples,
  verify: checkVerify,
};

/** Tolerance of `verify: true`, as a share. */
const DEFAULT_TOLERANCE = 1e-3;

/**
 * Checks the names and the values of all options of `createBatchedWorker`.
 * @throws INVALID_OPTION when a name or a value is not allowed
 */
export function checkBatchedWorkerOptions(options: unknown): void {
  if (!isOptionsObject(options)) throw optionError("options", "an object", options, "leave it out for the defaults");
  checkNames(options, [...Object.keys(CHECKS), ...BATCHER_OPTION_NAMES]);
  for (const [name, checkOption] of Object.entries(CHECKS)) {
    if (options[name] !== undefined) checkOption(options[name], name);
  }
  checkBatcherOptions(options);
  const { verify, samples } = options;
  const count = Array.isArray(samples) ? samples.length : 0;
  if (verify !== undefined && verify !== false && count < 2)
    throw optionError("samples", "at least two items, because verify is set", samples, "give it items to compare");
}

/** Returns the tolerance of the check of batches; `null` if it is off. */
export function toleranceOf(verify: BatchedWorkerOptions<unknown>["verify"] = false): number | null {
  if (verify === false) return null;
  return verify === true ? DEFAULT_TOLERANCE : verify.tolerance;
}

function checkVerify(value: unknown, name: string): void {
  if (isBoolean(value)) return;
  const fix = "write { tolerance: 0.01 }";
  if (!isOptionsObject(value)) throw optionError(name, "true, false or { tolerance }", value, fix);
  checkNames(value, ["tolerance"], `${name}.`);
  const { tolerance } = value;
  if (isAmount(tolerance)) return;
  throw optionError(`${name}.tolerance`, "a finite number from 0", tolerance, fix);
}
