import { type ExecutionProvider, isProvider } from "../../transport/providers.js";
import { quoteNames } from "@framebatch/batcher/errors/names.js";
import { optionError } from "@framebatch/batcher/errors/option-errors.js";
import { checkNames, isOptionsObject } from "@framebatch/batcher/options/option-checks.js";

/** What an option can be: one of these texts, or a list of names. */
type Choice = readonly string[] | "names";

/** Not `disabled`: ONNX Runtime 1.30 then destroys buffers that it has yet to submit, and every run fails. */
const CACHE_MODES = ["lazyRelease", "simple", "bucket"] as const;

/**
 * The options of each provider that onnxruntime-web passes on, with their values. The type, the checks and the table in
 * docs/options.md derive from it.
 */
export const PROVIDER_OPTIONS = {
  webgpu: {
    preferredLayout: ["NCHW", "NHWC"],
    forceCpuNodeNames: "names",
    validationMode: ["wgpuOnly", "basic", "full"],
    storageBufferCacheMode: CACHE_MODES,
    uniformBufferCacheMode: CACHE_MODES,
  },
  webnn: {
    deviceType: ["cpu", "gpu", "npu"],
    powerPreference: ["default", "low-power", "high-performance"],
  },
  wasm: {},
} as const satisfies Readonly<Record<ExecutionProvider, Readonly<Record<string, Choice>>>>;

/** Options that the types of ONNX Runtime have and that no model can have, with the reason. */
const REFUSED: Readonly<Record<ExecutionProvider, Readonly<Record<string, string>>>> = {
  webgpu: {
    device: "a GPU device cannot be sent to a worker",
    enableGraphCapture: "a captured graph runs one shape in fixed buffers, and batches differ in both",
    enableRobustness: "ONNX Runtime ignores it in a browser",
    queryResolveBufferCacheMode: "a model has storage buffers and uniform buffers alone",
    defaultBufferCacheMode: "a model has storage buffers and uniform buffers alone",
  },
  webnn: {
    context: "an MLContext cannot be sent to a worker",
    gpuDevice: "a GPU device cannot be sent to a worker",
    numThreads: "ONNX Runtime ignores it",
  },
  wasm: { numThreads: "the model's own numThreads sets it" },
};

/** The same for `sessionOptions`. */
const REFUSED_SESSION_OPTIONS: Readonly<Record<string, string>> = {
  executionProviders: "executionProviders and providerOptions of the model set it",
  enableGraphCapture: REFUSED.webgpu["enableGraphCapture"] ?? "",
  preferredOutputLocation: "every output is read into the memory of the page",
};

type Table = typeof PROVIDER_OPTIONS;
type ValueOf<Given> = Given extends readonly (infer Each)[] ? Each : readonly string[];

/**
 * Options of ONNX Runtime for each execution provider: `preferredLayout`, `forceCpuNodeNames`, `validationMode`,
 * `storageBufferCacheMode` and `uniformBufferCacheMode` for `webgpu`; `deviceType` and `powerPreference` for `webnn`;
 * none for `wasm`. The guide to the options says what each one does.
 */
export type ProviderOptions = {
  readonly [Provider in keyof Table]?: {
    readonly [Option in keyof Table[Provider]]?: ValueOf<Table[Provider][Option]>;
  };
};

/** Checks the option `providerOptions`. @throws INVALID_OPTION */
export function checkProviderOptions(value: unknown, name: string): void {
  const fix = 'write { webgpu: { preferredLayout: "NHWC" } }';
  if (!isOptionsObject(value)) throw optionError(name, "an object of options by provider", value, fix);
  checkNames(value, Object.keys(PROVIDER_OPTIONS), `${name}.`);
  for (const [provider, options] of Object.entries(value)) {
    if (!isProvider(provider) || options === undefined) continue;
    if (!isOptionsObject(options)) throw optionError(`${name}.${provider}`, "an object", options, fix);
    checkOptionsOf(provider, options, `${name}.${provider}.`);
  }
}

/** @throws INVALID_OPTION for an option of ONNX Runtime that a model cannot have */
export function checkSessionOptionNames(value: object, name: string): void {
  checkRefused(value, REFUSED_SESSION_OPTIONS, `${name}.`);
}

function checkOptionsOf(provider: ExecutionProvider, options: object, path: string): void {
  const choices: Readonly<Record<string, Choice>> = PROVIDER_OPTIONS[provider];
  checkRefused(options, REFUSED[provider], path);
  checkNames(options, [...Object.keys(choices), ...Object.keys(REFUSED[provider])], path);
  for (const [name, value] of Object.entries(options)) checkChoice(choices[name] ?? [], value, path + name);
}

/** An option that has no value is as one that is left out. */
function checkRefused(options: object, reasons: Readonly<Record<string, string>>, path: string): void {
  for (const [name, reason] of Object.entries(reasons)) {
    const value: unknown = Reflect.get(options, name);
    if (value !== undefined) throw optionError(path + name, "no value", value, `remove it: ${reason}`);
  }
}

function checkChoice(choice: Choice, value: unknown, name: string): void {
  if (value === undefined) return;
  const isRight = choice === "names" ? isNames(value) : choice.some((each) => each === value);
  const expected = choice === "names" ? "a list of names of nodes" : quoteNames(choice).replace(/, (?=[^,]+$)/, " or ");
  if (!isRight) throw optionError(name, expected, value, "leave it out for the default of ONNX Runtime");
}

/** ONNX Runtime gets the names as one text, divided by line breaks. */
function isNames(value: unknown): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === "string" && /^[^\n]+$/.test(name));
}
