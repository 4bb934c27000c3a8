import type { AnsweredRows } from "./answered-rows.js";
import { buffersIn, isUnshared } from "./sent-rows.js";
import type { TensorData } from "../tensor/tensor.js";

/** Returns the buffers to transfer with outputs. */
export function transferList(outputs: AnsweredRows): ArrayBuffer[] {
  const columns = Object.values(outputs).map((rows) => [rows].flat().map(({ data }) => data));
  return buffersIn({ columns });
}

/** Whether the elements fill their whole buffer. */
export function ownsBuffer(data: TensorData | null): data is OwningData {
  if (data === null || !("buffer" in data) || !isUnshared(data.buffer)) return false;
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
