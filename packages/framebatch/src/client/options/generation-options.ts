import {
  check,
  checkNames,
  integerFrom,
  isAmountAboveZero,
  isBoolean,
  isOptionsObject,
  type OptionCheck,
} from "@framebatch/batcher/options/option-checks.js";
import { optionError } from "@framebatch/batcher/errors/option-errors.js";
import type { PredictOptions } from "@framebatch/batcher/options/options.js";
import { checkPredictOptions, PREDICT_OPTION_NAMES } from "@framebatch/batcher/options/predict-options.js";
import type {
  ChoosingModelOptions,
  DecoderOptions,
  GenerateOptions,
  GroupChoosingModelOptions,
  SampleOptions,
} from "./generation.js";
import type { ModelOptions, TensorOptions } from "./options.js";

/** The options of a model that generates. */
export type GeneratingOptions =
  | (ModelOptions & { readonly generate: true | DecoderOptions })
  | ChoosingModelOptions
  | GroupChoosingModelOptions;

/** Whether options ask for a model that generates. Their values are not checked yet. */
export function hasGenerate(options: Pick<TensorOptions, "generate"> | undefined): options is GeneratingOptions {
  return options?.generate !== undefined && options.generate !== false;
}

const checkName = check((value) => typeof value === "string", "the name of a tensor", 'write "input_ids"');

const DECODER_CHECKS: Readonly<Record<keyof DecoderOptions, OptionCheck>> = {
  caches: check(isNames, "an object of names of outputs by names of inputs", 'write { "past.*": "present.*" }'),
  tokens: checkName,
  mask: checkName,
  positions: checkName,
  logits: checkName,
  maxCacheBytes: integerFrom(1, Number.MAX_SAFE_INTEGER, "leave it out for 268435456"),
};

const SAMPLE_CHECKS: Readonly<Record<keyof SampleOptions, OptionCheck>> = {
  temperature: check(isAmountAboveZero, "a number above 0", "leave sample out for the likeliest token"),
  topK: integerFrom(1, 2 ** 31 - 1, "leave it out for all"),
  topP: check((value) => isAmountAboveZero(value) && value <= 1, "a number above 0, up to 1", "leave it out for 1"),
  seed: integerFrom(0, Number.MAX_SAFE_INTEGER, "leave it out for another one each time"),
};

const MAX_NEW_TOKENS = 2 ** 24;

const OWN_CHECKS: Readonly<Record<Exclude<keyof GenerateOptions, keyof PredictOptions>, OptionCheck>> = {
  maxNewTokens: integerFrom(1, MAX_NEW_TOKENS, "leave it out for 256"),
  stop: check(isTokens, "a list of tokens, whole numbers from 0", "write [2]"),
  sample: checkSample,
  repetitionPenalty: check(isAmountAboveZero, "a number above 0", "leave it out for 1"),
  given: check(
    isOptionsObject,
    "an object of tensors by input name, or what keep returns",
    "write { encoder_hidden_states: tensor }",
  ),
};

/** Of all options of a text. */
const NAMES = [...Object.keys(OWN_CHECKS), ...PREDICT_OPTION_NAMES];

/** Checks the option `generate` of a model. @throws INVALID_OPTION */
export function checkGenerate(value: unknown, name: string): void {
  if (isBoolean(value)) return;
  const fix = "write true, or name what the file does not: { tokens, mask, positions, logits, caches }";
  if (!isOptionsObject(value)) throw optionError(name, "true or an object", value, fix);
  checkEach(value, DECODER_CHECKS, `${name}.`);
}

/** Checks the options of a text. @throws INVALID_OPTION when a name or a value is not allowed */
export function checkGenerateOptions(options: GenerateOptions): void {
  if (!isOptionsObject(options)) throw optionError("options", "an object", options, "leave it out for the defaults");
  checkNames(options, NAMES);
  const entries = Object.entries(options);
  const own = Object.fromEntries(entries.filter(([name]) => name in OWN_CHECKS));
  checkEach(own, OWN_CHECKS, "");
  checkPredictOptions(Object.fromEntries(entries.filter(([name]) => !(name in OWN_CHECKS))));
}

function checkSample(value: unknown, name: string): void {
  if (!isOptionsObject(value)) throw optionError(name, "an object", value, "write { temperature: 0.7, seed: 1 }");
  checkEach(value, SAMPLE_CHECKS, `${name}.`);
}

function checkEach(
  options: Readonly<Record<string, unknown>>,
  checks: Readonly<Record<string, OptionCheck>>,
  path: string,
) {
  checkNames(options, Object.keys(checks), path);
  for (const [option, checkOption] of Object.entries(checks)) {
    if (options[option] !== undefined) checkOption(options[option], path + option);
  }
}

function isNames(value: unknown): boolean {
  const names = isOptionsObject(value) ? Object.values(value) : [];
  return names.length > 0 && names.every((name) => typeof name === "string");
}

function isTokens(value: unknown): boolean {
  return Array.isArray(value) && value.every((token) => Number.isSafeInteger(token) && token >= 0);
}
