import type { ModelSignature } from "../core/model-signature.js";
import type { TensorInfo, TensorType } from "../core/tensor.js";

/** Most bytes in the inputs of a batch, where its user names no size: WASM memory grows and never shrinks. */
const MOST_BATCH_BYTES = 32 * 2 ** 20;

const WIDE: readonly TensorType[] = ["float64", "int64", "uint64", "string"];
const NARROW: readonly TensorType[] = ["int8", "uint8", "bool"];

/** How many rows fit into the memory that a batch may take; at least 1. Dynamic sizes count as 1. */
export function rowsInMemory({ inputs }: ModelSignature): number {
  const rowBytes = inputs.filter(({ batchAxis }) => batchAxis !== null).reduce((sum, input) => sum + bytesOf(input), 0);
  return Math.max(1, Math.floor(MOST_BATCH_BYTES / Math.max(1, rowBytes)));
}

function bytesOf({ type, dims, batchAxis }: TensorInfo): number {
  const elementBytes = WIDE.includes(type) ? 8 : NARROW.includes(type) ? 1 : 4;
  return dims.reduce<number>((bytes, size, axis) => (axis === batchAxis ? bytes : bytes * (size ?? 1)), elementBytes);
}
