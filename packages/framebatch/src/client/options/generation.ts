import type { Disposing } from "@framebatch/host/disposing.js";
import type { PredictOptions } from "@framebatch/batcher/options/options.js";
import type { Item, Outputs, TensorLike } from "@framebatch/rows/tensor/tensor.js";
import type { Sharing, TextEnd } from "../../generation/generation-messages.js";
import type { KeptItem } from "../../kept/kept-item.js";
import type { BatchedModel, ModelStats } from "./model.js";
import type { GROUP_OPTIONS, ModelGroup } from "./model-group.js";
import type { ModelOptions, TensorOptions } from "./options.js";
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
import { checkPredictOptions, PREDICT_OPTION_NAMES } from "@framebatch/batcher/options/predict-options.js";

/**
 * What the inputs and outputs of a decoder are for, where their names do not tell it, and how much memory texts may
 * take.
 */
export interface DecoderOptions {
  /**
   * The caches: names of outputs by names of inputs. `*` is the same text in both names.
   * @default { "past_key_values.*": "present.*" }, and other names that exporters write
   * @example await createBatchedModel(url, { generate: { caches: { "cache_*_in": "cache_*_out" } } });
   */
  readonly caches?: Readonly<Record<string, string>>;
  /**
   * The input of the tokens: int64 or int32, [batch, tokens].
   * @default "input_ids" or "decoder_input_ids"
   * @example await createBatchedModel(url, { generate: { tokens: "ids" } });
   */
  readonly tokens?: string;
  /**
   * The input that is 1 for each position that counts, of the cache and of the tokens: [batch, positions].
   * @default "attention_mask" or "decoder_attention_mask"; none if the model has neither
   * @example await createBatchedModel(url, { generate: { mask: "mask" } });
   */
  readonly mask?: string;
  /**
   * The input of the position of each token in its text: [batch, tokens].
   * @default "position_ids" or "decoder_position_ids"; none if the model has neither
   * @example await createBatchedModel(url, { generate: { positions: "positions" } });
   */
  readonly positions?: string;
  /**
   * The output with the scores of the next token: [batch, tokens, vocabulary] or [batch, vocabulary].
   * @default "logits"
   * @example await createBatchedModel(url, { generate: { logits: "scores" } });
   */
  readonly logits?: string;
  /**
   * Maximum size of the caches of all texts that run at the same time, in bytes: an integer from 1. Counted as if each
   * became as long as the longest of them may: its prompt and `maxNewTokens`. What does not fit waits. ONNX Runtime
   * holds a copy of those of one step.
   * @default 268435456
   * @example await createBatchedModel(url, { generate: { maxCacheBytes: 100e6 } });
   */
  readonly maxCacheBytes?: number;
}

/**
 * Options of `createBatchedModel` for a decoder whose worker has a module of yours, which takes part in the choice of
 * tokens: it calls `serve` with `choose`.
 */
export interface ChoosingModelOptions<Input = Item> extends Omit<ModelOptions<Input>, "worker" | "group" | "generate"> {
  /** See `ModelOptions.generate`. */
  readonly generate: true | DecoderOptions;
  /**
   * Starts a worker with a module that imports `serve` from `framebatch/worker` and gives it `choose`. Called for the
   * first worker and for each replacement; must return a new worker each time.
   * @example
   * ```ts
   * const worker = () => new Worker(new URL("./grammar.worker.ts", import.meta.url), { type: "module" });
   * const lm = await createBatchedModel("/models/decoder.onnx", { generate: true, worker });
   * ```
   */
  readonly worker: () => Worker;
}

/** The same options for a decoder of a group. */
export interface GroupChoosingModelOptions<Input = Item> extends Omit<
  ModelOptions<Input>,
  (typeof GROUP_OPTIONS)[number] | "group" | "generate" | "instances"
> {
  /** See `ModelOptions.generate`. */
  readonly generate: true | DecoderOptions;
  /** The group, which has the option `worker`. */
  readonly group: ModelGroup;
  /**
   * The name, as in `serve.model(name, { choose })`.
   * @example const lm = await createBatchedModel("/decoder.onnx", { group, generate: true, handlers: "lm" });
   */
  readonly handlers: string;
  /** The group has the worker. */
  readonly worker?: undefined;
}

/** How a token is drawn among those that are likely. */
export interface SampleOptions {
  /**
   * Divides the scores: above 1, unlikely tokens become more likely; below 1, less. A number above 0.
   * @default 1
   * @example lm.generate({ input_ids }, { sample: { temperature: 0.7 } });
   */
  readonly temperature?: number;
  /**
   * Draws among so many of the likeliest tokens: an integer from 1.
   * @default all
   * @example lm.generate({ input_ids }, { sample: { topK: 40 } });
   */
  readonly topK?: number;
  /**
   * Draws among the likeliest tokens that have this probability together: a number above 0, up to 1.
   * @default 1
   * @example lm.generate({ input_ids }, { sample: { topP: 0.9 } });
   */
  readonly topP?: number;
  /**
   * Decides what is drawn: an integer from 0. The same seed gives the same text, whatever else runs, as far as the
   * scores are the same: a batch may round them otherwise.
   * @default another one for each text
   * @example lm.generate({ input_ids }, { sample: { seed: 1 } });
   */
  readonly seed?: number;
}

/**
 * How a text is generated. `key` also ends a text that runs already: the newer one takes its place. `timeoutMs` counts
 * on while a loop holds its text back.
 */
export interface GenerateOptions extends PredictOptions {
  /**
   * Maximum number of tokens after the prompt: an integer from 1.
   * @default 256
   * @example lm.generate({ input_ids }, { maxNewTokens: 64 });
   */
  readonly maxNewTokens?: number;
  /**
   * Tokens that end the text. The one that does is its last token.
   * @default []
   * @example lm.generate({ input_ids }, { stop: [2] });
   */
  readonly stop?: readonly number[];
  /**
   * Draws each token. Without it, each is the one with the highest score.
   * @default none
   * @example lm.generate({ input_ids }, { sample: { temperature: 0.7, topP: 0.9, seed: 1 } });
   */
  readonly sample?: SampleOptions;
  /**
   * Divides the scores of tokens that the text has already, the prompt included; negative ones are multiplied. A number
   * above 0.
   * @default 1
   * @example lm.generate({ input_ids }, { repetitionPenalty: 1.2 });
   */
  readonly repetitionPenalty?: number;
  /**
   * Inputs that are the same in every step of the text, without the batch axis, copied at the call; or an item that an
   * encoder of a group keeps: the text then waits for it.
   * @default {}
   * @example lm.generate({ input_ids }, { given: { encoder_hidden_states: { data: speech, dims: [50, 320] } } });
   * @example lm.generate({ input_ids: [0] }, { given: encoder.keep({ input_ids }) });
   */
  readonly given?: Readonly<Record<string, TensorLike>> | KeptItem;
}

/** A whole text. */
export interface TextResult {
  /** The tokens after the prompt. One that has ended the text is the last of them. */
  readonly tokens: readonly number[];
  /** Why the text has ended: with a token of `stop`, or after `maxNewTokens`. */
  readonly reason: TextEnd;
}

/**
 * A text that is being generated: its tokens as they are chosen. To leave the loop ends the text, which then frees its
 * place, and `result` rejects with an `AbortError`. An abort of `signal` ends the loops at once, also those that still
 * read a text that has ended. Every loop begins with the first token. While the fastest loop is about 32 tokens behind,
 * the text pauses, and others may take its place. A text whose `result` was read never pauses.
 * @example
 * ```ts
 * const text = lm.generate({ input_ids }, { maxNewTokens: 64 });
 * for await (const token of text) show(token);
 * const { reason } = await text.result;
 * ```
 */
export interface GeneratedText extends AsyncIterable<number> {
  /**
   * Resolves at the end of the text, which then waits for no loop. A rejection that nobody handles is not reported: the
   * loop throws it too.
   * @example const { tokens, reason } = await lm.generate({ input_ids }).result;
   */
  readonly result: Promise<TextResult>;
}

/** What the texts of a model have cost, since the model was created. */
export interface GenerationStats {
  /** Number of texts that take part in steps now. */
  readonly running: number;
  /** Number of texts that wait: for their place, for their encoder, or for the loop that reads them. */
  readonly waiting: number;
  /** Number of tokens that were chosen. */
  readonly tokens: number;
  /** Number of runs that chose one token for each of their texts. Those that take prompts do not count. */
  readonly steps: number;
  /** Mean number of texts in a step; 0 before the first. */
  readonly batchSize: number;
  /** Size of the caches in the worker, in bytes. */
  readonly cacheBytes: number;
  /** Time of the runs that took prompts, in milliseconds. */
  readonly prefillMs: number;
  /** Time of the steps, in milliseconds. */
  readonly decodeMs: number;
  /**
   * Which texts share a step, as measured with the model itself:
   * - `"left"`, `"right"`: texts of any length, whose caches are padded on that side
   * - `"equal"`: texts of the same length, because answers change with padding
   * - `"alone"`: none, because answers depend on the other texts of a step
   * - `null`: not measured yet, because there were not several texts
   */
  readonly sharing: Sharing | null;
}

/** Statistics of a model that generates texts. A plain object. */
export interface GeneratingModelStats extends ModelStats {
  /** Those of its texts. */
  readonly generation: GenerationStats;
}

/** A decoder that generates texts. `createBatchedModel` makes it if it has the option `generate`. */
export interface GeneratingModel<Input = Item, Output = Outputs> extends BatchedModel<Input, Output>, Disposing {
  /**
   * Generates a text. It shares steps with all other texts that run, and joins them as soon as there is room. The call
   * itself does not throw: errors reject `result` and end the loop.
   * @param inputs the prompt by the name of its input, or alone: tokens, as numbers
   * @throws INVALID_INPUT when the prompt is empty, has a token that the model lacks, or `given` does not fit;
   * INVALID_OPTION, also for a text whose cache alone would exceed `maxCacheBytes`; OVERLOADED when `maxQueueSize`
   * texts wait; TIMED_OUT after `timeoutMs`; SUPERSEDED by a newer text with the same `key`; INFERENCE_FAILED or
   * OUT_OF_MEMORY when this text cannot run; HANDLER_FAILED when `choose` fails for it; WORKER_CRASHED, WORKER_HUNG or
   * DEVICE_LOST when new workers fail too; DISPOSED; `signal.reason` on an abort.
   * @example
   * ```ts
   * const text = lm.generate({ input_ids }, { maxNewTokens: 64, stop: [2] });
   * for await (const token of text) show(token);
   * ```
   */
  generate(inputs: Readonly<Record<string, TensorLike>> | TensorLike, options?: GenerateOptions): GeneratedText;
  /** Returns a snapshot of the statistics. `resetStats` does not reset those of texts. */
  stats(): GeneratingModelStats;
}

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
