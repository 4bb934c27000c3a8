import { PRIORITIES, type Priority } from "../queue/request.js";
import {
  check,
  checkNames,
  checkSignal,
  isAmountAboveZero,
  isBoolean,
  isOptionsObject,
  type OptionCheck,
} from "./option-checks.js";
import { optionError } from "../errors/option-errors.js";
import type { ModelPredictOptions, PredictOptions } from "./options.js";

/**
 * The check of each option. Marked as pure, so that bundlers leave it out of the first chunk of a page that imports
 * only `createBatchedModel`.
 */
const PREDICT_CHECKS: readonly [name: string, OptionCheck][] = /* @__PURE__ */ Object.entries({
  signal: checkSignal,
  priority: /* @__PURE__ */ check(
    isPriority,
    PRIORITIES.map((name) => `"${name}"`).join(", "),
    'leave it out for "user-visible"',
  ),
  timeoutMs: /* @__PURE__ */ check(isAmountAboveZero, "a number of milliseconds above 0", "leave it out for no limit"),
  key: /* @__PURE__ */ check((value) => typeof value === "string", "a string", "leave it out to supersede nothing"),
} satisfies Record<keyof PredictOptions, OptionCheck>);

/** The names of the options that every request has, for checks of unknown names. */
export const PREDICT_OPTION_NAMES: readonly string[] = /* @__PURE__ */ PREDICT_CHECKS.map(([name]) => name);
const MODEL_NAMES = [...PREDICT_OPTION_NAMES, "transfer"];

/** Checks the option `transfer`. @throws INVALID_OPTION when the value is not a boolean. */
export const checkTransfer = /* @__PURE__ */ check(isBoolean, "true or false", "leave it out for false");

/** A check of the options of one request. @throws INVALID_OPTION. */
export type OptionsCheck = (options: PredictOptions) => void;

/** Checks the options of one request to a function. @throws INVALID_OPTION when a name or a value is not allowed. */
export function checkPredictOptions(options: PredictOptions): void {
  checkOptions(options, PREDICT_OPTION_NAMES);
}

/** Checks the options of one request to a model. @throws INVALID_OPTION when a name or a value is not allowed. */
export function checkModelPredictOptions(options: ModelPredictOptions): void {
  checkOptions(options, MODEL_NAMES);
  if (options.transfer !== undefined) checkTransfer(options.transfer, "transfer");
}

/**
 * Checks the options that all requests of a list or a stream share.
 * @throws INVALID_OPTION when a name or a value is not allowed, or when there is a `key`: each request would supersede
 * the one before.
 */
export function checkListOptions(options: PredictOptions, checkEach: OptionsCheck): void {
  checkEach(options);
  if (options.key === undefined) return;
  const fix = "leave it out, or ask for each item by itself";
  throw optionError("key", "no key for many items, which would supersede each other", options.key, fix);
}

function checkOptions(options: PredictOptions, names: readonly string[]): void {
  if (!isOptionsObject(options)) throw optionError("options", "an object", options, "leave it out for the defaults");
  checkNames(options, names);
  for (const [name, checkOption] of PREDICT_CHECKS) {
    const value: unknown = Reflect.get(options, name);
    if (value !== undefined) checkOption(value, name);
  }
}

/** Returns true for the name of a priority. */
export function isPriority(value: unknown): value is Priority {
  return PRIORITIES.some((name) => name === value);
}
