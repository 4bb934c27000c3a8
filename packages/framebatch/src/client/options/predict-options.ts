import { PRIORITIES, type Priority } from "../../core/queue/priority.js";
import { check, checkNames, isBoolean, isRecord, refuseOption, type OptionCheck } from "./option-checks.js";
import type { ModelPredictOptions, PredictOptions } from "./options.js";

/** Marked as pure: a page that imports `createBatchedModel` alone does not load them at once. */
const CHECKS: Readonly<Record<keyof PredictOptions, OptionCheck>> = {
  signal: /* @__PURE__ */ check((value) => value instanceof AbortSignal, "an AbortSignal", "pass controller.signal"),
  priority: /* @__PURE__ */ check(
    isPriority,
    PRIORITIES.map((name) => `"${name}"`).join(", "),
    'leave it out for "user-visible"',
  ),
  timeoutMs: /* @__PURE__ */ check(isTimeout, "a number of milliseconds above 0", "leave it out for no limit"),
  key: /* @__PURE__ */ check((value) => typeof value === "string", "a string", "leave it out to supersede nothing"),
};

const NAMES = /* @__PURE__ */ Object.keys(CHECKS);
const MODEL_NAMES = [...NAMES, "transfer"];

const checkTransfer = /* @__PURE__ */ check(isBoolean, "true or false", "leave it out for false");

/** Checks the options of one request. */
export type OptionsCheck = (options: PredictOptions) => void;

/** @throws INVALID_OPTION. */
export function checkPredictOptions(options: PredictOptions): void {
  checkOptions(options, NAMES);
}

/** The same for a model. @throws INVALID_OPTION. */
export function checkModelPredictOptions(options: ModelPredictOptions): void {
  checkOptions(options, MODEL_NAMES);
  if (options.transfer !== undefined) checkTransfer(options.transfer, "transfer");
}

/** The same for all requests of a list or a stream: with one key, each would supersede the one before. @throws INVALID_OPTION. */
export function checkListOptions(options: PredictOptions, checkEach: OptionsCheck): void {
  checkEach(options);
  if (options.key === undefined) return;
  const fix = "leave it out, or ask for each item by itself";
  throw refuseOption("key", "no key for many items, which would supersede each other", options.key, fix);
}

function checkOptions(options: PredictOptions, names: readonly string[]): void {
  if (!isRecord(options)) throw refuseOption("options", "an object", options, "leave it out for the defaults");
  checkNames(options, names);
  const { signal, priority, timeoutMs, key } = options;
  if (signal !== undefined) CHECKS.signal(signal, "signal");
  if (priority !== undefined) CHECKS.priority(priority, "priority");
  if (timeoutMs !== undefined) CHECKS.timeoutMs(timeoutMs, "timeoutMs");
  if (key !== undefined) CHECKS.key(key, "key");
}

export function isPriority(value: unknown): value is Priority {
  return PRIORITIES.some((name) => name === value);
}

function isTimeout(value: unknown): boolean {
  return typeof value === "number" && value > 0 && value < Infinity;
}
