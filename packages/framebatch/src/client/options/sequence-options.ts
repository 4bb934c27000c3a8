import { optionError } from "@framebatch/batcher/errors/option-errors.js";
import {
  check,
  checkNames,
  integerFrom,
  isAmountAboveZero,
  isOptionsObject,
  type OptionCheck,
} from "@framebatch/batcher/options/option-checks.js";
import { checkPredictOptions } from "@framebatch/batcher/options/predict-options.js";
import type { SequenceOptions, SequencePredictOptions } from "./sequence.js";

const CHECKS: Readonly<Record<keyof SequenceOptions, OptionCheck>> = {
  initial: check(isStates, "an object of tensors by input name", 'write { "state": numbers }, or await snapshot()'),
  idleMs: check(isAmountAboveZero, "a number of milliseconds above 0", "leave it out for no limit"),
  overflow: check(
    (value) => value === "wait" || value === "drop-oldest",
    '"wait" or "drop-oldest"',
    'leave it out for "wait"',
  ),
  maxQueueSize: integerFrom(1, 10_000_000, "leave it out for 1024"),
  maxWaitMs: check(isAmountAboveZero, "a number of milliseconds above 0", "leave it out for 2000"),
  snapshotEvery: integerFrom(1, 1_000_000, "leave it out for the default"),
};

/** Checks the options of a sequence. @throws INVALID_OPTION when a name or a value is not allowed */
export function checkSequenceOptions(options: SequenceOptions): void {
  if (!isOptionsObject(options)) throw optionError("options", "an object", options, "leave it out for the defaults");
  checkNames(options, Object.keys(CHECKS));
  for (const [name, checkOption] of Object.entries(CHECKS)) {
    const value: unknown = Reflect.get(options, name);
    if (value !== undefined) checkOption(value, name);
  }
  const { overflow, maxWaitMs } = options;
  if (maxWaitMs === undefined || overflow === "drop-oldest") return;
  const fix = 'write overflow: "drop-oldest", or timeoutMs of each step';
  throw optionError("maxWaitMs", 'no value without overflow: "drop-oldest"', maxWaitMs, fix);
}

/** Checks the options of a step. @throws INVALID_OPTION as for other requests, and for a `key` */
export function checkStepOptions(options: SequencePredictOptions): void {
  checkPredictOptions(options);
  const key: unknown = Reflect.get(options, "key");
  if (key === undefined) return;
  throw optionError(
    "key",
    "no key, because each step of a sequence counts",
    key,
    "leave it out, or ask the model itself",
  );
}

function isStates(value: unknown): boolean {
  return isOptionsObject(value) && !ArrayBuffer.isView(value);
}
