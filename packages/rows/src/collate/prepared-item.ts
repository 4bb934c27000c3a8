import type { ItemShape } from "@framebatch/batcher/queue/shape.js";
import type { TensorData } from "../tensor/tensor.js";

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
