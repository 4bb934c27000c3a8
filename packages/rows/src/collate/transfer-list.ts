import type { AnsweredRows } from "./answered-rows.js";
import type { TensorData } from "../tensor/tensor.js";

/** Returns the buffers to transfer with outputs, without duplicates. Arrays of strings are copied instead. */
export function transferList(outputs: AnsweredRows): ArrayBuffer[] {
  const buffers = new Set<ArrayBuffer>();
  for (const { data } of Object.values(outputs).flat()) {
    if ("buffer" in data && data.buffer instanceof ArrayBuffer) buffers.add(data.buffer);
  }
  return [...buffers];
}

/** Whether the elements fill their whole buffer. */
export function ownsBuffer(data: TensorData | null): data is OwningData {
  if (data === null || !("buffer" in data) || !(data.buffer instanceof ArrayBuffer)) return false;
  return data.byteLength > 0 && data.byteLength === data.buffer.byteLength;
}

/** Whether the memory of an array was transferred, so that its elements are gone. */
export function isDetached(elements: ArrayLike<unknown>): boolean {
  if (elements.length > 0 || !ArrayBuffer.isView(elements)) return false;
  try {
    // Creating a view of a detached buffer throws in old and new engines alike.
    return new Uint8Array(elements.buffer).length < 0;
  } catch {
    return true;
  }
}

type OwningData = Exclude<TensorData, readonly string[]> & { readonly buffer: ArrayBuffer };
