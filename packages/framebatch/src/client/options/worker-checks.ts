import {
  check,
  checkNames,
  checkSignal,
  integerFrom,
  isOptionsObject,
  type OptionCheck,
} from "@framebatch/batcher/options/option-checks.js";
import { optionError } from "@framebatch/batcher/errors/option-errors.js";
import { PROVIDERS } from "../../transport/providers.js";

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

/** Options of `sessionOptions` that the types of ONNX Runtime have and that no model can have, with the reason. */
const REFUSED_SESSION_OPTIONS = {
  executionProviders: "executionProviders and providerOptions of the model set it",
  enableGraphCapture: "a captured graph runs one shape in fixed buffers, and batches differ in both",
  preferredOutputLocation: "every output is read into the memory of the page",
};

/**
 * Checks the option `providerOptions`: the providers, and that a worker can be sent their options.
 * @throws INVALID_OPTION
 */
export function checkProviderOptions(value: unknown, name: string): void {
  const fix = 'write { webgpu: { preferredLayout: "NHWC" } }';
  if (!isOptionsObject(value)) throw optionError(name, "an object of options by provider", value, fix);
  checkNames(value, Object.keys(PROVIDERS), `${name}.`);
  for (const [provider, options] of Object.entries(value)) {
    if (options === undefined) continue;
    if (!isOptionsObject(options)) throw optionError(`${name}.${provider}`, "an object", options, fix);
    checkData(options, `${name}.${provider}`);
  }
}

/** @throws INVALID_OPTION for an option of ONNX Runtime that a model cannot have */
export function checkSessionOptionNames(value: object, name: string): void {
  for (const [option, reason] of Object.entries(REFUSED_SESSION_OPTIONS)) {
    const given: unknown = Reflect.get(value, option);
    if (given !== undefined) throw optionError(`${name}.${option}`, "no value", given, `remove it: ${reason}`);
  }
}
