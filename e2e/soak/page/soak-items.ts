import { itemFor, type ExactItem } from "../../fixtures/items.js";

/** The number of rows of `numbered-rows`. An id of this value or more makes the run of its batch fail. */
export const NUMBERED_ROWS = 4096;

/** Ids of `numbered-rows` that end a worker with the soak's hook: it closes itself, or hangs. */
export const KILLERS = { close: 1_000_000_001, hang: 1_000_000_002 } as const;

export type Killer = keyof typeof KILLERS;

/** The models of the soak, and their inputs by number. Each model has one output, `y` or `logits`. */
export const ITEM_MAKERS = {
  "mlp-tiny": (number) => itemFor("mlp-tiny", number),
  "cnn-28": (number) => itemFor("digits", number),
  "numbered-rows": numbered,
} satisfies Record<string, (number: number) => ExactItem>;

export type SoakModelName = keyof typeof ITEM_MAKERS;

/** Returns an item of `numbered-rows`. */
export function numbered(id: number): ExactItem {
  return { id: { type: "int64", data: BigInt64Array.of(BigInt(id)), dims: [1] } };
}
