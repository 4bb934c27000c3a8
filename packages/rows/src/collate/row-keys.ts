import type { PreparedItem } from "./prepared-item.js";
import type { ContentDigest } from "@framebatch/batcher/queue/content-digest.js";

/**
 * Returns a function that returns a short string, which is equal for two rows of one model exactly if all their elements are
 * equal bit by bit (-0 differs from 0). The string starts with the sizes, which determine the length of each input, so
 * keys of different rows differ if those of their inputs do.
 */
export function rowKeys(digest: ContentDigest): (row: PreparedItem) => string {
  return (row) => {
    let key = `${row.sizes.join(",")}|`;
    for (const data of row.data) key += data === null ? "-" : `+${digest.ofElements(data)}`;
    return key;
  };
}
