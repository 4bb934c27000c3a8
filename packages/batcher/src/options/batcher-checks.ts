import { RELEASE_RULES } from "../decide/release-rules.js";
import { optionError } from "../errors/option-errors.js";
import { type BatcherOptions, MAX_ROWS } from "./options.js";
import {
  check,
  checkNames,
  integerFrom,
  isAmount,
  isAmountAboveZero,
  isBoolean,
  isOptionsObject,
  type OptionCheck,
} from "./option-checks.js";

/**
 * The check of each option. Marked as pure, so that bundlers leave it out of the first chunk of a page that imports
 * only `createBatchedModel`.
 */
const BATCHER_CHECKS: Readonly<Record<keyof BatcherOptions, OptionCheck>> = {
  batching: checkBatching,
  maxBatchSize: /* @__PURE__ */ integerFrom(1, MAX_ROWS, "leave it out for 256"),
  allowedBatchSizes: /* @__PURE__ */ check(
    isAscending,
    `ascending whole numbers from 1 to ${MAX_ROWS}`,
    "write [1, 4, 16, 64]",
  ),
  maxQueueDelayMs: /* @__PURE__ */ check(isAmount, "a number of milliseconds from 0", "leave it out for 10"),
  maxLatencyMs: /* @__PURE__ */ check(isAmountAboveZero, "a number of milliseconds above 0", "leave it out for none"),
  maxQueueSize: /* @__PURE__ */ integerFrom(1, Number.MAX_SAFE_INTEGER, "leave it out for 100000"),
  dedupe: /* @__PURE__ */ check(isBoolean, "true or false", "leave it out for false"),
  resultCacheSize: /* @__PURE__ */ integerFrom(0, 10_000_000, "leave it out for 0"),
};

/** The names of all batcher options, for checks of unknown names. */
export const BATCHER_OPTION_NAMES: readonly string[] = /* @__PURE__ */ Object.keys(BATCHER_CHECKS);

/**
 * Checks the values of a batcher's options. Ignores options that do not belong to a batcher.
 * @throws INVALID_OPTION when a value is not allowed, or two contradict each other
 */
export function checkBatcherOptions(options: object): void {
  checkValues(options);
  const { maxBatchSize, allowedBatchSizes } = options;
  const largest = allowedBatchSizes?.at(-1);
  if (largest === undefined || maxBatchSize === undefined || maxBatchSize === largest) return;
  const fix = "make the two equal, or leave maxBatchSize out";
  throw optionError("maxBatchSize", `${largest}, the last of allowedBatchSizes`, maxBatchSize, fix);
}

function checkValues(options: object): asserts options is BatcherOptions {
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined && isBatcherOption(name)) BATCHER_CHECKS[name](value, name);
  }
}

function isBatcherOption(name: string): name is keyof BatcherOptions {
  return Object.hasOwn(BATCHER_CHECKS, name);
}

function checkBatching(value: unknown, name: string): void {
  if (value === false) return;
  if (!isOptionsObject(value))
    throw optionError(name, "false or an object", value, 'write { release: "idle" }, or false for none');
  checkNames(value, ["release"], `${name}.`);
  const { release } = value;
  const rules = Object.keys(RELEASE_RULES);
  if (release === undefined || rules.some((rule) => rule === release)) return;
  const expected = rules.map((rule) => `"${rule}"`).join(", ");
  throw optionError(`${name}.release`, expected, release, 'leave it out for "frame"');
}

function isAscending(value: unknown): boolean {
  if (!Array.isArray(value) || value.length === 0) return false;
  return value.every(
    (size, index) => Number.isInteger(size) && size > (index === 0 ? 0 : value[index - 1]) && size <= MAX_ROWS,
  );
}
