import { PROVIDERS } from "../../transport/providers.js";
import { optionError } from "@framebatch/batcher/errors/option-errors.js";
import { checkNames, isOptionsObject } from "@framebatch/batcher/options/option-checks.js";
import { checkData } from "./worker-checks.js";

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
