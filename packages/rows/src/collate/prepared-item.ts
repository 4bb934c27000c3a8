import type { ItemShape } from "@framebatch/batcher/queue/shape.js";
import type { TensorData } from "../tensor/tensor.js";
import type { ContentDigest } from "@framebatch/batcher/queue/content-digest.js";

/** The data of a row that stacking needs. */
export interface RowContent {
  /**
   * The elements of each input, in the order of the signature. No other code writes to them. `null` for a mask that is
   * filled later. Those of a row that moves to a worker are detached while it is there.
   */
  readonly data: (TensorData | null)[];
  /** The item's own sizes, in the order of `PaddingPlan.extents`. */
  readonly sizes: readonly number[];
}

/** One item, checked and copied, or to be moved. The queue and the batches hold rows. */
export interface PreparedItem extends RowContent {
  readonly shape: ItemShape;
  /** Moves the arrays that are still the caller's. Absent if all are copies. Does nothing when called again. */
  readonly take?: () => void;
}

/** Returns a deep copy of an item, whose memory no batch uses. */
export function copyItem({ shape, sizes, data }: PreparedItem): PreparedItem {
  return { shape, sizes, data: data.map((elements) => (elements === null ? null : elements.slice())) };
}

/**
 * Returns a function that returns a short string, which is equal for two rows of one model exactly if all their
 * elements are equal bit by bit (-0 differs from 0). The string starts with the sizes, which determine the length of
 * each input, so keys of different rows differ if those of their inputs do.
 */
export function rowKeys(digest: ContentDigest): (row: PreparedItem) => string {
  return (row) => {
    let key = `${row.sizes.join(",")}|`;
    for (const data of row.data) key += data === null ? "-" : `+${digest.ofElements(data)}`;
    return key;
  };
}
