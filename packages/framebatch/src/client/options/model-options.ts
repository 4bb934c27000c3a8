import { BATCHER_OPTION_NAMES, checkBatcherOptions } from "@framebatch/batcher/options/batcher-checks.js";
import { fixForName, optionError, quoteNames } from "@framebatch/batcher/errors/option-errors.js";
import { isProvider, PROVIDERS } from "../../transport/providers.js";
import { PADDING_OPTION_NAMES } from "@framebatch/rows/padding/padding-options.js";
import type { InputRange } from "@framebatch/rows/collate/input-range.js";
import { checkExclusions } from "./excluded-options.js";
import { checkGenerate } from "./generation.js";
import {
  checkData,
  checkProviderOptions,
  checkSessionOptionNames,
  checkUserSamples,
  isFunction,
  WORKER_CHECKS,
} from "./worker-checks.js";
import {
  check,
  checkNames,
  integerFrom,
  isAddress,
  isAmount,
  isBoolean,
  isOptionsObject,
  isUrl,
  type OptionCheck,
} from "@framebatch/batcher/options/option-checks.js";
import type { BatcherOptions } from "@framebatch/batcher/options/options.js";
import type { HandlerModelOptions, LoadOptions, ModelOptions } from "./options.js";
import { isTrustedAddress } from "@framebatch/host/page.js";

/** For the option `validate`, once the signature is known. */
export { planChecks } from "@framebatch/rows/collate/input-range.js";

type OwnOptions = Omit<ModelOptions, keyof BatcherOptions | "worker" | "remote" | "group"> &
  Pick<HandlerModelOptions<unknown>, "worker" | "shapeOf">;

const DIGEST = /^sha(256(-pieces)?|384|512)-[A-Za-z0-9+/]+={0,2}(\?\S*)?$/;

const checkIntegrity = check(
  isIntegrity,
  '"sha256-…", "sha384-…" or "sha512-…" in base64',
  "see: openssl dgst -sha384 -binary FILE | base64",
);

const checkBoolean = check(isBoolean, "true or false", "leave it out for true");

const checkPath = check(isPath, 'a relative path without ".."', 'write it as the model names it: "model.data"');

const WORKER_EXAMPLE = '() => new Worker(new URL("./reader.worker.ts", import.meta.url), { type: "module" })';

/** Checks each option of a model but those of its batcher. */
export const MODEL_CHECKS: Readonly<Record<keyof OwnOptions, OptionCheck>> = {
  executionProviders: checkProviders,
  providerOptions: checkProviderOptions,
  batchAxis: check(
    isOptionsObject,
    "an object of axes by tensor name",
    'write { "image": 0 }, or null for a shared input',
  ),
  recurrent: checkRecurrent,
  generate: checkGenerate,
  outputs: checkOutputs,
  padding: checkPadding,
  warmup: checkBoolean,
  rebatch: check((value) => value === "auto" || value === "off", '"auto" or "off"', 'leave it out for "auto"'),
  verify: checkVerify,
  samples: checkSamples,
  validate: checkValidate,
  agreement: checkAgreement,
  externalData: forEachProvider(checkFiles),
  maxModelBytes: integerFrom(1, Number.MAX_SAFE_INTEGER, "leave it out for 2147483648"),
  cache: checkBoolean,
  integrity: forEachProvider(checkIntegrity),
  sessionOptions: checkSessionOptions,
  wasmPaths: check(isWasmPaths, 'a URL that ends with "/", or an object of URLs by file name', 'write "/ort/"'),
  workerUrl: check(
    (value) => isAddress(value) || isTrustedAddress(value),
    "a URL",
    "give the address of framebatch.worker.js",
  ),
  worker: check(isFunction, "a function that starts a worker", `write ${WORKER_EXAMPLE}`),
  numThreads: integerFrom(1, 64, "leave it out for 1"),
  shared: check(isBoolean, "true or false", "leave it out for false"),
  stallTimeoutMs: integerFrom(100, 3_600_000, "leave it out for 30000"),
  ...WORKER_CHECKS,
};

const MODEL_OPTION_NAMES = [...Object.keys(MODEL_CHECKS), ...BATCHER_OPTION_NAMES];

/** The options that a worker with handlers does not have. */
const TENSOR_OPTIONS = ["validate", "dedupe", "resultCacheSize", "shared"];

/**
 * Checks the options of a model whose worker has handlers.
 * @throws as `checkModelOptions`, and for an option that does not apply
 */
export function checkHandlerOptions({ samples, ...others }: LoadOptions): void {
  checkOptions(others);
  checkExclusions(others);
  if (samples !== undefined) checkUserSamples(samples, "samples");
  for (const name of TENSOR_OPTIONS) {
    const value: unknown = Reflect.get(others, name);
    if (value !== undefined) throw optionError(name, "no value, because worker is set", value, "leave one of them out");
  }
}

/**
 * Checks the options of a model of tensors.
 * @throws as `checkOptions`, and for an option that needs handlers
 */
export function checkModelOptions(options: unknown): void {
  checkOptions(options);
  checkExclusions(options);
  const shapeOf: unknown = Reflect.get(options, "shapeOf");
  if (shapeOf !== undefined) {
    throw optionError("shapeOf", "no value without worker", shapeOf, "leave it out: the item's dims are its shape");
  }
}

/**
 * Checks the names and the values of all options.
 * @throws INVALID_OPTION when a value is not allowed, or a name does not exist.
 */
function checkOptions(options: unknown): asserts options is object {
  if (!isOptionsObject(options)) throw optionError("options", "an object", options, "leave it out for the defaults");
  checkNames(options, MODEL_OPTION_NAMES);
  for (const [name, checkOption] of Object.entries(MODEL_CHECKS)) {
    if (options[name] !== undefined) checkOption(options[name], name);
  }
  checkBatcherOptions(options);
}

function checkProviders(value: unknown, name: string): void {
  const known = Object.keys(PROVIDERS);
  if (value === "auto") return;
  if (!Array.isArray(value) || value.length === 0)
    throw optionError(name, `"auto" or a list of ${quoteNames(known)}`, value, 'leave it out for "auto"');
  for (const [index, entry] of value.entries()) {
    const path = `${name}[${index}]`;
    if (!isProvider(entry)) {
      const fix = fixForName(String(entry), known, 'write "webgpu" for the GPU or "wasm" for the processor');
      throw optionError(path, `one of ${quoteNames(known)}`, entry, fix);
    }
    if (value.indexOf(entry) < index) throw optionError(path, "each provider once", entry, "remove it");
  }
}

/** Returns a check that accepts one value, or an object with one for each provider. */
function forEachProvider(checkOne: OptionCheck): OptionCheck {
  return (value, name) => {
    if (!isOptionsObject(value)) return checkOne(value, name);
    for (const [provider, own] of Object.entries(value)) if (own !== undefined) checkOne(own, `${name}.${provider}`);
  };
}

function checkAgreement(value: unknown, name: string): void {
  const fix = "write { relative: 0.05 }";
  if (!isOptionsObject(value)) throw optionError(name, "{ relative, absolute }", value, fix);
  checkNames(value, ["relative", "absolute"], `${name}.`);
  for (const [part, amount] of Object.entries(value)) {
    if (amount === undefined || isAmount(amount)) continue;
    throw optionError(`${name}.${part}`, "a finite number from 0", amount, fix);
  }
}

function isIntegrity(value: unknown): boolean {
  return (
    typeof value === "string" &&
    value
      .trim()
      .split(/\s+/)
      .every((digest) => DIGEST.test(digest))
  );
}

/** Checks the shape of the option `padding`. @throws INVALID_OPTION */
export function checkPadding(value: unknown, name: string): void {
  const fix = 'write { "ids": { side: "right" } }';
  if (!isOptionsObject(value)) throw optionError(name, "an object of options by input name", value, fix);
  checkEntries(value, name, PADDING_OPTION_NAMES, 'write {} to pad with zeros, or { side: "left" }');
}

const RANGE_NAMES: readonly (keyof InputRange)[] = ["finite", "min", "max"];

/** Checks the shape of the option `validate`. @throws INVALID_OPTION */
export function checkValidate(value: unknown, name: string): void {
  if (value === "finite") return;
  const fix = 'write { "ids": { min: 0, max: 30521 } }';
  if (!isOptionsObject(value)) throw optionError(name, '"finite" or an object of ranges by input name', value, fix);
  checkEntries(value, name, RANGE_NAMES, "write { min: 0, max: 1 }");
}

/**
 * Checks the shape of an option by input name. The values depend on the model, so they are checked once it is loaded.
 */
function checkEntries(options: object, name: string, known: readonly string[], fix: string): void {
  for (const [input, entry] of Object.entries(options)) {
    const path = `${name}["${input}"]`;
    if (!isOptionsObject(entry)) throw optionError(path, "an object", entry, fix);
    checkNames(entry, known, `${path}.`);
  }
}

function checkRecurrent(value: unknown, name: string): void {
  const fix = 'write { "state": "stateN" }';
  const isRight = isOptionsObject(value) && Object.keys(value).length > 0;
  if (!isRight) throw optionError(name, "an object with the output of each state by input name", value, fix);
  for (const [input, output] of Object.entries(value)) {
    if (typeof output !== "string") throw optionError(`${name}["${input}"]`, "the name of an output", output, fix);
  }
}

function checkOutputs(value: unknown, name: string): void {
  const fix = 'write ["label"], or leave it out for all';
  const isList = Array.isArray(value) && value.length > 0;
  if (!isList) throw optionError(name, "a list of names of outputs", value, fix);
  for (const [index, output] of value.entries()) {
    if (typeof output !== "string") throw optionError(`${name}[${index}]`, "the name of an output", output, fix);
  }
}

function checkVerify(value: unknown, name: string): void {
  if (isBoolean(value)) return;
  const fix = "leave it out for { budgetMs: 250 }";
  if (!isOptionsObject(value)) throw optionError(name, "true, false or { budgetMs, providers }", value, fix);
  checkNames(value, ["budgetMs", "providers"], `${name}.`);
  const { budgetMs, providers } = value;
  if (budgetMs !== undefined && !(typeof budgetMs === "number" && budgetMs >= 0))
    throw optionError(`${name}.budgetMs`, "a number of milliseconds from 0", budgetMs, fix);
  if (providers !== undefined) checkBoolean(providers, `${name}.providers`);
}

function checkFiles(value: unknown, name: string): void {
  const fix = 'write [{ path: "model.data", source: "/model.data" }]';
  if (!Array.isArray(value)) throw optionError(name, "a list of { path, source }", value, fix);
  for (const [index, file] of value.entries()) {
    const path = `${name}[${index}]`;
    if (!isOptionsObject(file) || file["source"] === undefined) throw optionError(path, "{ path, source }", file, fix);
    checkNames(file, ["path", "source", "integrity"], `${path}.`);
    checkPath(file["path"], `${path}.path`);
    if (file["integrity"] !== undefined) checkIntegrity(file["integrity"], `${path}.integrity`);
  }
}

/** Returns true for a path that stays inside the model's own folder. */
function isPath(path: unknown): boolean {
  return typeof path === "string" && path !== "" && !/^[/\\]|\.\.|:/.test(path);
}

function isWasmPaths(value: unknown): boolean {
  if (typeof value === "string") return value.endsWith("/");
  if (isUrl(value)) return value.href.endsWith("/");
  return isOptionsObject(value) && Object.values(value).every((url) => typeof url === "string");
}

/** Checks that samples can be sent to the worker. The worker checks them against the model once it is loaded. */
function checkSamples(value: unknown, name: string): void {
  const isList =
    Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === "object" && item !== null);
  if (!isList)
    throw optionError(name, "a list of items", value, "write [{ image: pixels }], with items as for predict");
  checkData(value, name);
}

function checkSessionOptions(value: unknown, name: string): void {
  if (!isOptionsObject(value)) throw optionError(name, "an object", value, "see ONNX Runtime's SessionOptions");
  checkSessionOptionNames(value, name);
  checkFreeDimensions(value["freeDimensionOverrides"], `${name}.freeDimensionOverrides`);
  checkData(value, name);
}

/** The greatest size that reaches ONNX Runtime's WebAssembly as it is. */
const MAX_FREE_DIMENSION = 2 ** 31 - 1;

/** ONNX Runtime takes a size of 0, with which no item can run. */
function checkFreeDimensions(value: unknown, name: string): void {
  if (value === undefined) return;
  const fix = (dimension: string) => `write { ${dimension}: 1 }, or leave it out`;
  if (!isOptionsObject(value)) {
    throw optionError(name, "an object of sizes by the name of the dimension", value, fix("batch"));
  }
  for (const [dimension, size] of Object.entries(value)) {
    if (Number.isInteger(size) && Number(size) >= 1 && Number(size) <= MAX_FREE_DIMENSION) continue;
    const expected = `a whole number from 1 to ${MAX_FREE_DIMENSION}`;
    throw optionError(`${name}["${dimension}"]`, expected, size, fix(JSON.stringify(dimension)));
  }
}
