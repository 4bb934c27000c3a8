import { itemFor, type ExactItem } from "../../fixtures/items.js";

/** Rows of `numbered-rows`: a number from here on fails the run of its whole batch. */
export const NUMBERED_ROWS = 4096;

/** Ids of `numbered-rows` that no worker survives, where the soak's hook is in it: it closes itself, or never answers. */
export const KILLERS = { close: 1_000_000_001, hang: 1_000_000_002 } as const;

export type Killer = keyof typeof KILLERS;

/** The models of the soak, each with one output, `y` or `logits`, and their inputs by number. */
export const ITEM_MAKERS = {
  "mlp-tiny": (number) => itemFor("mlp-tiny", number),
  "cnn-28": (number) => itemFor("digits", number),
  "numbered-rows": numbered,
} satisfies Record<string, (number: number) => ExactItem>;

export type SoakModelName = keyof typeof ITEM_MAKERS;

/** An item of `numbered-rows`. */
export function numbered(id: number): ExactItem {
  return { id: { type: "int64", data: BigInt64Array.of(BigInt(id)), dims: [1] } };
}
