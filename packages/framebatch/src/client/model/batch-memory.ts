import { volumeOf } from "../../core/shape.js";
import type { ModelSignature } from "../../core/model/signature.js";
import { elementOf } from "../../core/tensor/element-types.js";
import type { TensorInfo } from "../../core/tensor/tensor.js";

/**
 * Maximum size of a batch's inputs if the user sets no batch size, in bytes. It is limited because WASM memory grows
 * and never shrinks.
 */
const MAX_BATCH_BYTES = 32 * 2 ** 20;

/** Assumed size of a string, in bytes: an array of strings has no byte length. */
const STRING_BYTES = 8;

/** Returns how many rows fit into the memory that a batch may take, at least 1. Dynamic dimensions count as 1. */
export function maxRowsInMemory({ inputs }: ModelSignature): number {
  const rowBytes = inputs
    .filter(({ batchAxis }) => batchAxis !== null)
    .reduce((sum, input) => sum + bytesPerRow(input), 0);
  return Math.max(1, Math.floor(MAX_BATCH_BYTES / Math.max(1, rowBytes)));
}

function bytesPerRow({ type, dims, batchAxis }: TensorInfo): number {
  const one = elementOf(type).create(1);
  const elementBytes = "byteLength" in one ? one.byteLength : STRING_BYTES;
  return elementBytes * volumeOf(dims.map((size, axis) => (axis === batchAxis ? 1 : (size ?? 1))));
}
