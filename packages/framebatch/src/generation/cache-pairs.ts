import { quoteNames } from "@framebatch/batcher/errors/names.js";
import { invalidOption } from "@framebatch/batcher/errors/option-errors.js";
import type { TensorInfo } from "@framebatch/rows/tensor/tensor.js";

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
export function pairCaches(
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
