import type { ItemShape } from "../shape.js";
import type { TensorData } from "../tensor/tensor.js";

/** What stacking a row takes. */
export interface RowContent {
  /**
   * By input, in the signature's order; nobody else writes to them. `null` for a mask that is still to be filled. Large ones
   * are lent to the worker, which stacks them and gives them back.
   */
  readonly data: (TensorData | null)[];
  /** The item's own sizes, in the order of `PaddingPlan.extents`. */
  readonly sizes: readonly number[];
}

/** One item, checked and copied: what waits in the queue and rides in a batch. */
export interface Row extends RowContent {
  readonly shape: ItemShape;
}
