import type { SimModel } from "./models.js";
import type { ValueInfo } from "./onnx.js";

/**
 * Decoders: padded on the left, on the right, or not at all, because they have no mask or do not heed it; one whose rows mix, one that
 * takes no pieces, and one that reads what an encoder has returned.
 */
export type DecoderName = "leftward" | "rightward" | "unpadded" | "heedless" | "blended" | "unpieced" | "captioned";

/** What distinguishes decoders. */
export interface DecoderTraits {
  /** The side on which shorter caches may be padded: by the mask, or by how much of it counts. */
  readonly padding: "left" | "right" | "none";
  /** A prompt in pieces gets other scores than a whole one. */
  readonly isWhole?: true;
}

const INTEGER = "int64";
const TOKENS = { name: "input_ids", dims: ["batch", "tokens"], type: INTEGER } as const;
const MASK = { name: "attention_mask", dims: ["batch", "total"], type: INTEGER } as const;
const POSITIONS = { name: "position_ids", dims: ["batch", "tokens"], type: INTEGER } as const;
const GIVEN = [
  { name: "encoder_hidden_states", dims: ["batch", "given", 1] },
  { name: "encoder_attention_mask", dims: ["batch", "given"], type: INTEGER },
] as const;
const ENCODED = [
  { name: "input_ids", dims: ["batch", "given"], type: INTEGER },
  { name: "attention_mask", dims: ["batch", "given"], type: INTEGER },
] as const;
/** Number of tokens: `VOCABULARY` in `decoder.ts`. */
const SCORES = 100;

/** A decoder with caches of two forms. Its graph is one that no rule of the product knows. */
function decoder(
  name: DecoderName,
  inputs: readonly ValueInfo[],
  traits: DecoderTraits,
  { mixesFrom = null, givesLast = false }: { readonly mixesFrom?: number | null; readonly givesLast?: boolean } = {},
): SimModel {
  const caches = (prefix: string, size: string): ValueInfo[] => [
    { name: `${prefix}.0.key`, dims: ["batch", 2, size, 1] },
    { name: `${prefix}.0.value`, dims: ["batch", 1, size, 2] },
  ];
  const read = [...inputs, ...caches("past_key_values", "past")];
  const outputs = [
    { name: "logits", dims: ["batch", ...(givesLast ? [] : ["tokens"]), SCORES] },
    ...caches("present", "total"),
  ];
  const from = read.map((input) => input.name);
  const nodes = outputs.map(({ name: output }) => ({ type: "Decode", inputs: from, output }));
  return { name, inputs: read, outputs, nodes, mixesFrom, decoder: traits };
}

/** The decoders, and an encoder for one of them. */
export const DECODERS: Readonly<Record<DecoderName | "encoder", SimModel>> = {
  leftward: decoder("leftward", [TOKENS, MASK, POSITIONS], { padding: "left" }),
  rightward: decoder("rightward", [TOKENS, MASK, POSITIONS], { padding: "right" }),
  unpadded: decoder("unpadded", [TOKENS], { padding: "none" }, { givesLast: true }),
  heedless: decoder("heedless", [TOKENS, MASK, POSITIONS], { padding: "none" }),
  blended: decoder("blended", [TOKENS, MASK, POSITIONS], { padding: "left" }, { mixesFrom: 2 }),
  unpieced: decoder("unpieced", [TOKENS, MASK, POSITIONS], { padding: "left", isWhole: true }),
  captioned: decoder("captioned", [TOKENS, MASK, POSITIONS, ...GIVEN], { padding: "left" }),
  encoder: {
    name: "encoder",
    inputs: ENCODED,
    outputs: [{ name: "last_hidden_state", dims: ["batch", "given", 1] }],
    nodes: [{ type: "Encode", inputs: ["input_ids", "attention_mask"], output: "last_hidden_state" }],
    mixesFrom: null,
    isEncoder: true,
  },
};
