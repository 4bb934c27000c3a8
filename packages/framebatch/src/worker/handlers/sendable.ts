import { assertCloneable, transferablesIn } from "../../transport/object-graph.js";
import type { Outputs } from "../../core/tensor/tensor.js";

/** A result, and what is transferred with it to the page. */
export interface SendableResult {
  readonly value: unknown;
  readonly transfer: Transferable[];
}

/**
 * Prepares a result of `postprocess` for the page. Transfers the buffers of the outputs, which belong to no one else, and
 * bitmaps and other objects that should exist once. Copies all other buffers, which the handler may use again.
 * @throws a DataCloneError when structured cloning cannot copy the value
 */
export function sendable(value: unknown, outputs: Outputs): SendableResult {
  const own = new Set<unknown>(transferablesIn(outputs));
  const movable = transferablesIn(value);
  const transfer = movable.filter((object) => own.has(object) || !(object instanceof ArrayBuffer));
  assertCloneable(value);
  return { value, transfer };
}
