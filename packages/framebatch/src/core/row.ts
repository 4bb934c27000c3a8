import type { ItemShape } from "./engine.js";
import type { TensorData } from "./tensor.js";

/** One item, checked and copied: what waits in the queue and rides in a batch. */
export interface Row {
  readonly shape: ItemShape;
  /** By input, in the signature's order; nobody else writes to them. `null` for a mask that is still to be filled. */
  readonly data: readonly (TensorData | null)[];
  /** The item's own sizes, in the order of `PaddingPlan.extents`. */
  readonly sizes: readonly number[];
}
