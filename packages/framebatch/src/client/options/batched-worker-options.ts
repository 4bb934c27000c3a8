import { BATCHER_OPTION_NAMES, checkBatcherOptions } from "@framebatch/batcher/options/batcher-checks.js";
import { optionError } from "@framebatch/batcher/errors/option-errors.js";
import type { BatchedWorkerOptions } from "./batched-worker.js";
import {
  check,
  checkNames,
  isAmount,
  isBoolean,
  isOptionsObject,
  type OptionCheck,
} from "@framebatch/batcher/options/option-checks.js";
import type { BatcherOptions } from "@framebatch/batcher/options/options.js";
import { checkUserSamples, isFunction, WORKER_CHECKS } from "./worker-checks.js";

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
