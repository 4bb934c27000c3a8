import { elementOf } from "@framebatch/rows/tensor/element-types.js";
import { writable } from "@framebatch/rows/tensor/writing.js";
import type { ModelSignature } from "@framebatch/rows/model/signature.js";
import type { Tensor, TensorInfo } from "@framebatch/rows/tensor/tensor.js";
import type { DecoderNames } from "../generation-messages.js";
import { type Decoder, readDecoder } from "../decoder.js";

const TOKENS = 4;
const PROMPTS = 2;

/**
 * Returns items for the trial of a decoder: two prompts of four tokens, without a cache. Sizes that are guessed would
 * not fit each other: that of the mask is the sum of two others.
 * @throws INVALID_OPTION when the file does not tell what its inputs are for, see `readDecoder`
 */
export function trialPrompts(signature: ModelSignature, names: DecoderNames): readonly Record<string, Tensor>[] {
  const decoder = readDecoder(signature, names);
  return Array.from({ length: PROMPTS }, (_, prompt) => promptOf(decoder, prompt));
}

function promptOf(decoder: Decoder, prompt: number): Record<string, Tensor> {
  const { tokens, mask, positions, cachePosition, keptLogits, cacheBranch, caches, given } = decoder;
  const vocabulary = decoder.logits.dims.at(-1) ?? TOKENS * PROMPTS + 1;
  const contents: readonly (readonly [TensorInfo | null, sizeOfDynamic: number, valueAt: (at: number) => number])[] = [
    [tokens, TOKENS, (at) => (1 + prompt * TOKENS + at) % vocabulary],
    [mask, TOKENS, () => 1],
    [positions, TOKENS, (at) => at],
    [cachePosition, TOKENS, (at) => at],
    [keptLogits, 1, () => 1],
    [cacheBranch, 1, () => 0],
    // In merged files, the caches of what the encoder has returned have as many positions as it, by the name of the
    // size. The first run, which this is, fills them.
    ...caches.map(({ input, grows }) => [input, grows ? 0 : TOKENS, () => 0] as const),
    ...given.map((input) => [input, TOKENS, () => Number(/mask/.test(input.name))] as const),
  ];
  return Object.fromEntries(
    contents.flatMap(([input, size, valueAt]) =>
      input === null ? [] : [[input.name, tensorOf(input, size, valueAt)]],
    ),
  );
}

/** Returns the tensor of one item, without the batch axis. */
function tensorOf({ type, dims, batchAxis }: TensorInfo, size: number, valueAt: (at: number) => number): Tensor {
  const own = dims.filter((_, axis) => axis !== batchAxis).map((fixed) => fixed ?? size);
  const count = own.reduce((product, each) => product * each, 1);
  const data = elementOf(type).create(count);
  const elements = writable(data);
  const isBig = type === "int64" || type === "uint64";
  for (let at = 0; at < count; at++) elements[at] = isBig ? BigInt(valueAt(at)) : valueAt(at);
  return { type, dims: own, data };
}
