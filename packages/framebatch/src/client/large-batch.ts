import type { Row } from "../core/row.js";
import type { Tensor, TensorData } from "../core/tensor.js";

/** From here on the worker stacks and splits, in bytes: copying as much takes a page a millisecond or so. */
const LARGE_BATCH_BYTES = 2 ** 20;

/** Below this a row is copied faster than it is lent, in bytes. */
const LARGE_ROW_BYTES = 2 ** 16;

/** Whether so many rows of so many bytes each are better copied on another thread. */
export function isLarge(rows: number, bytes: number): boolean {
  return bytes >= LARGE_BATCH_BYTES && bytes >= rows * LARGE_ROW_BYTES;
}

/** What stacking these rows copies, padding left out, in bytes. */
export function bytesOfRows(rows: readonly Row[]): number {
  let bytes = 0;
  for (const { data } of rows) for (const elements of data) bytes += bytesOf(elements);
  return bytes;
}

export function bytesOfTensors(tensors: Readonly<Record<string, Tensor>>): number {
  return Object.values(tensors).reduce((sum, { data }) => sum + bytesOf(data), 0);
}

/** Strings are taken to be small. */
function bytesOf(data: TensorData | null): number {
  return data !== null && "byteLength" in data ? data.byteLength : 0;
}
