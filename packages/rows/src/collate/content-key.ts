import type { PreparedItem } from "./prepared-item.js";
import { elementsKey } from "@framebatch/batcher/queue/elements-key.js";

/**
 * Returns a string that is equal for two rows of one model exactly if all their elements are equal bit by bit (-0
 * differs from 0). The string starts with the sizes, which determine the length of each input, so different rows never
 * produce the same key.
 */
export function contentKey(row: PreparedItem): string {
  let key = `${row.sizes.join(",")}|`;
  for (const data of row.data) key += data === null ? "-" : `+${elementsKey(data)}`;
  return key;
}
