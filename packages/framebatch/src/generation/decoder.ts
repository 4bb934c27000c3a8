import { invalidOption, quoteNames, unknownNameError } from "@framebatch/batcher/errors/option-errors.js";
import type { ModelSignature } from "@framebatch/rows/model/signature.js";
import type { TensorInfo } from "@framebatch/rows/tensor/tensor.js";
import type { DecoderNames } from "./generation-messages.js";

/** What each input and output of a decoder is for. */
export interface Decoder {
  /** The tokens [batch, tokens]. */
  readonly tokens: TensorInfo;
  /** 1 for each position that counts, of the cache and of the tokens; `null` if the model has no mask. */
  readonly mask: TensorInfo | null;
  /** The position of each token in its text; `null` if the model counts them itself. */
  readonly positions: TensorInfo | null;
  /** The scores of the next token, for each token or for the last one. */
  readonly logits: TensorInfo;
  readonly caches: readonly CachePair[];
  /** The position of each token in the cache, which the batch shares. */
  readonly cachePosition: TensorInfo | null;
  /** Number of tokens whose scores are wanted. */
  readonly keptLogits: TensorInfo | null;
  /** Whether the caches hold something, of a file with one branch for the first run and one for the others. */
  readonly cacheBranch: TensorInfo | null;
  /** The other inputs, which each text gives. */
  readonly given: readonly TensorInfo[];
  /**
   * The one of them that is 1 for each position of the others that counts: [batch, positions]; `null` if there is none.
   */
  readonly givenMask: TensorInfo | null;
}

/** The usual names, as exporters write them. */
const TOKENS = ["input_ids", "decoder_input_ids"];
const MASKS = ["attention_mask", "decoder_attention_mask"];
const POSITIONS = ["position_ids", "decoder_position_ids"];
const LOGITS = ["logits"];
const CACHE_POSITION = "cache_position";
const KEPT_LOGITS = ["num_logits_to_keep", "logits_to_keep"];
const CACHE_BRANCH = "use_cache_branch";

/** Inputs that the whole batch shares, whatever their sizes say. */
const SHARED = [CACHE_POSITION, ...KEPT_LOGITS, CACHE_BRANCH];

/** What a session tells of an input. */
interface InputMetadata {
  readonly name: string;
  readonly shape?: readonly (number | string)[];
}

/**
 * Returns the batch axes that the sizes of inputs do not tell: `null` for those that the whole batch shares, and 0 for
 * tokens, mask and positions. `torch.export` names the batch of a mask otherwise than that of the other inputs.
 */
export function knownAxes(inputs: readonly InputMetadata[], names: DecoderNames): Record<string, number | null> {
  const roles = [names.tokens, names.mask, names.positions, ...TOKENS, ...MASKS, ...POSITIONS];
  const hasRole = ({ name, shape = [] }: InputMetadata) =>
    roles.includes(name) && shape.length === 2 && typeof shape[0] === "string";
  const shared = inputs.filter(({ name }) => SHARED.includes(name));
  return Object.fromEntries([
    ...shared.map(({ name }) => [name, null] as const),
    ...inputs.filter(hasRole).map(({ name }) => [name, 0] as const),
  ]);
}

/**
 * Reads what each input and output of a decoder is for: from their names, or as the option `generate` tells it.
 * @throws INVALID_OPTION when a name is of no input or output, or what is needed is not found: what was looked for,
 * what there is, and how to name it
 */
export function readDecoder({ inputs, outputs }: ModelSignature, names: DecoderNames): Decoder {
  const find = (role: Role, all: readonly TensorInfo[], usual: readonly string[]) =>
    found(role, all, usual, names[role]);
  const tokens = find("tokens", inputs, TOKENS) ?? missing("tokens", "an input", TOKENS, inputs);
  const logits = find("logits", outputs, LOGITS) ?? missing("logits", "an output", LOGITS, outputs);
  const [mask, positions] = [find("mask", inputs, MASKS), find("positions", inputs, POSITIONS)];
  for (const [role, tensor] of Object.entries({ tokens, mask, positions })) checkIds(role, tensor);
  checkScores(logits);
  const named = (name: string) => inputs.find((input) => input.name === name) ?? null;
  const cachePosition = named(CACHE_POSITION);
  const keptLogits = KEPT_LOGITS.map(named).find((input) => input !== null) ?? null;
  const cacheBranch = named(CACHE_BRANCH);
  const roles = [tokens, mask, positions, cachePosition, keptLogits, cacheBranch];
  const others = inputs.filter((input) => !roles.includes(input));
  const caches = pairCaches(others, outputs, names.caches);
  const given = others.filter((input) => caches.every((pair) => pair.input !== input));
  given.forEach(checkGiven);
  const givenMask = given.find(isMask) ?? null;
  return { tokens, mask, positions, logits, caches, cachePosition, keptLogits, cacheBranch, given, givenMask };
}

/** Whether an input may be the mask of what an encoder has returned: `encoder_attention_mask`. */
function isMask({ name, dims, batchAxis }: TensorInfo): boolean {
  return /mask/i.test(name) && batchAxis === 0 && dims.length === 2 && dims[1] === null;
}

type Role = Exclude<keyof DecoderNames, "caches">;

/** @param told what the option says */
function found(
  role: Role,
  tensors: readonly TensorInfo[],
  usual: readonly string[],
  told: string | undefined,
): TensorInfo | null {
  const named = (name: string) => tensors.find((tensor) => tensor.name === name);
  if (told === undefined) return usual.map(named).find((tensor) => tensor !== undefined) ?? null;
  const tensor = named(told);
  if (tensor !== undefined) return tensor;
  const kind = role === "logits" ? "an output" : "an input";
  throw unknownNameError(`generate.${role}`, `the name of ${kind}`, told, namesOf(tensors));
}

function missing(role: Role, kind: string, usual: readonly string[], tensors: readonly TensorInfo[]): never {
  const all = namesOf(tensors);
  const fix = `name it: generate: { ${role}: ${JSON.stringify(all[0] ?? "…")} }`;
  throw invalidOption("generate", `${kind} for the ${role} (${quoteNames(usual)}), got ${quoteNames(all)}; ${fix}`);
}

/** Checks that an input takes a whole number for each text and position. */
function checkIds(role: string, tensor: TensorInfo | null): void {
  if (tensor === null) return;
  const { name, type, dims, batchAxis } = tensor;
  const isRight = (type === "int64" || type === "int32") && dims.length === 2 && batchAxis === 0;
  if (isRight) return;
  const got = `${type} [${dims.map((size) => size ?? "?").join(", ")}]`;
  const fix = "name another input, or export the model with such a one";
  throw invalidOption(`generate.${role}`, `int32 or int64 of [batch, tokens], got "${name}" of ${got}; ${fix}`);
}

function checkScores({ name, type, dims }: TensorInfo): void {
  if (type.startsWith("float") && (dims.length === 2 || dims.length === 3)) return;
  const got = `${type} [${dims.map((size) => size ?? "?").join(", ")}]`;
  const expected = "floating-point numbers of [batch, tokens, vocabulary] or [batch, vocabulary]";
  throw invalidOption("generate.logits", `${expected}, got "${name}" of ${got}; name another output`);
}

/** Checks that texts can be joined in an input that each of them gives. */
function checkGiven({ name, batchAxis, dims }: TensorInfo): void {
  if (batchAxis === null || batchAxis === 0) return;
  const got = `[${dims.map((size) => size ?? "?").join(", ")}] with the batch on axis ${batchAxis}`;
  throw invalidOption("generate", `the input "${name}" with the batch in front, got ${got}; export it so`);
}

function namesOf(tensors: readonly TensorInfo[]): string[] {
  return tensors.map(({ name }) => name);
}

/** A cache of a decoder: the input that it is before a step, and the output that it is after the step. */
export interface CachePair {
  readonly input: TensorInfo;
  /** The name of the output. */
  readonly output: string;
  readonly batchAxis: number;
  /** The axis of its positions. */
  readonly axis: number;
  /**
   * Whether it has the positions of the text, one more after each token; otherwise those of what the encoder has
   * returned, which the first run of a text fills, and no other changes.
   */
  readonly grows: boolean;
}

/** The usual names of caches before and after a step. `*` is the same text in both. */
const USUAL: Readonly<Record<string, string>> = {
  "past_key_values.*": "present.*",
  "past_key_values_*": "present_key_values_*",
  "past_key_*": "present_key_*",
  "past_value_*": "present_value_*",
  "past.*": "present.*",
  "past_*": "present_*",
};

/** A cache of what the encoder has returned, in the names of exporters: `past_key_values.0.encoder.key`. */
const OF_ENCODER = /(^|[._])(encoder|cross)[._]/;

/** What to do with one half of an export: a file for the first run of a text, or one for the others. */
const WHOLE_FILE =
  "take the file beside it that begins texts and goes on with them: decoder_model_merged.onnx, or model.onnx (in Optimum: --task …-with-past)";

/**
 * Finds the caches among the inputs.
 * @param patterns names of outputs by names of inputs; default: the usual ones
 * @throws INVALID_OPTION when there are none, one has no output, or it cannot grow
 */
function pairCaches(
  inputs: readonly TensorInfo[],
  outputs: readonly TensorInfo[],
  patterns: Readonly<Record<string, string>> = USUAL,
): CachePair[] {
  const named = inputs.flatMap((input) => {
    const candidates = Object.entries(patterns).flatMap(([from, to]) => nameAfter(input.name, from, to) ?? []);
    return candidates.length === 0 ? [] : [{ input, candidates }];
  });
  if (named.length === 0) throw noCaches(inputs, outputs, patterns);
  return named.map(({ input, candidates }) => {
    const output = outputs.find(({ name }) => candidates.includes(name));
    if (output === undefined) throw noOutput(input.name, candidates, outputs);
    return pairOf(input, output);
  });
}

/** Returns the name that a cache has after a step; `null` if a pattern does not fit it. */
function nameAfter(name: string, from: string, to: string): string | null {
  const [start = "", end] = from.split("*");
  if (end === undefined) return name === from ? to : null;
  const isLong = name.length > start.length + end.length;
  if (!isLong || !name.startsWith(start) || !name.endsWith(end)) return null;
  return to.replace("*", () => name.slice(start.length, name.length - end.length));
}

function pairOf(input: TensorInfo, output: TensorInfo): CachePair {
  const { name, dims, batchAxis } = input;
  if (batchAxis === null) throw refusal(name, "a batch axis", dims, "name it in batchAxis");
  const [axis, ...others] = [...dims.keys()].filter((each) => each !== batchAxis && dims[each] === null);
  if (axis === undefined || others.length > 0 || axis < batchAxis) {
    const fix = "export it with caches that grow, [batch, heads, past, size], where heads and size are numbers";
    throw refusal(name, "one dynamic size behind the batch, along which it grows", dims, fix);
  }
  return { input, output: output.name, batchAxis, axis, grows: !OF_ENCODER.test(name) };
}

function refusal(name: string, expected: string, dims: readonly (number | null)[], fix: string): Error {
  const got = `[${dims.map((size) => size ?? "?").join(", ")}]`;
  return invalidOption("generate", `the cache "${name}" with ${expected}, got ${got}; ${fix}`);
}

function noCaches(
  inputs: readonly TensorInfo[],
  outputs: readonly TensorInfo[],
  patterns: Readonly<Record<string, string>>,
): Error {
  const [got, after] = [inputs, outputs].map((tensors) => quoteNames(tensors.map(({ name }) => name)));
  const beginsOnly = outputs.some(({ name }) => name.startsWith("present"));
  const fix = beginsOnly
    ? WHOLE_FILE
    : 'name them: generate: { caches: { "past.*": "present.*" } }, or export the model with caches (in Optimum: --task text-generation-with-past)';
  return invalidOption(
    "generate",
    `caches among the inputs (${quoteNames(Object.keys(patterns))}), got ${got} and the outputs ${after}; ${fix}`,
  );
}

function noOutput(input: string, candidates: readonly string[], outputs: readonly TensorInfo[]): Error {
  const got = quoteNames(outputs.map(({ name }) => name));
  const fix = OF_ENCODER.test(input) ? WHOLE_FILE : `name it: generate: { caches: { ${JSON.stringify(input)}: "…" } }`;
  return invalidOption(
    "generate",
    `an output for the cache "${input}" (${quoteNames(candidates)}), got ${got}; ${fix}`,
  );
}
