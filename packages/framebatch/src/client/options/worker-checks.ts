import { check, checkSignal, integerFrom, type OptionCheck } from "@framebatch/batcher/options/option-checks.js";
import { optionError } from "@framebatch/batcher/errors/option-errors.js";

/** The checks of the options that models and engines in workers share. */
export const WORKER_CHECKS = {
  shapeOf: check(isFunction, "a function", 'write (image) => ({ group: "", extents: [image.width] })'),
  runTimeoutMs: integerFrom(100, 3_600_000, "leave it out for a limit by measured run times"),
  instances: integerFrom(1, 16, "leave it out for 1"),
  onProgress: check(isFunction, "a function", "write ({ phase, loadedBytes }) => {}"),
  signal: checkSignal,
} as const satisfies Readonly<Record<string, OptionCheck>>;

export function isFunction(value: unknown): boolean {
  return typeof value === "function";
}

/** Checks the samples of the user's own functions. @throws INVALID_OPTION when they are no list, or cannot be copied */
export function checkUserSamples(value: unknown, name: string): void {
  if (!Array.isArray(value))
    throw optionError(name, "a list of items", value, "write [image], with items as for predict");
  checkData(value, name);
}

/** @throws INVALID_OPTION when structured cloning cannot copy the value to the worker. */
export function checkData(value: unknown, name: string): void {
  try {
    structuredClone(value);
  } catch {
    throw optionError(name, "plain data", value, "remove functions and other things that cannot be sent to a worker");
  }
}
