import { randomWords } from "@framebatch/host/random-words.js";
import { ContentDigest } from "@framebatch/batcher/queue/content-digest.js";
import { rowKeys, type PreparedItem } from "@framebatch/rows/collate/prepared-item.js";
import type { Outputs, Tensor } from "@framebatch/rows/tensor/tensor.js";
import type { BatcherOptions } from "@framebatch/batcher/options/options.js";
import type { ItemKind } from "./item-kind.js";

/**
 * What lets identical rows of tensors share a row of a batch, or a result. Loaded for a model with the options for it.
 */
export type SharedResults = Required<Pick<ItemKind<unknown, PreparedItem, Outputs>, "contentKey" | "copyResult">>;

/** Returns it, if one of the options asks for it; otherwise `null`. */
export function sharedResults({ dedupe = false, resultCacheSize = 0 }: BatcherOptions): SharedResults | null {
  if (!dedupe && resultCacheSize === 0) return null;
  return { contentKey: rowKeys(new ContentDigest(randomWords(4))), copyResult: copyOutputs };
}

/** Returns a deep copy of the outputs: two callers must never share a buffer. */
function copyOutputs(outputs: Outputs): Outputs {
  const copies = Object.entries(outputs).map(([name, { type, dims, data }]): [string, Tensor] => [
    name,
    { type, dims: [...dims], data: data.slice() },
  ]);
  return Object.fromEntries(copies);
}
