import type { ModelSource } from "./model-source.js";

/** Copies bytes at once, so that the caller may change or transfer them while the code that uses them loads. */
export function copyBytes(source: ModelSource): ModelSource {
  return source instanceof ArrayBuffer || isByteView(source) ? new Blob([source]) : source;
}

/** Returns true for a view of memory that is not shared: a `Blob` cannot be made from shared memory. */
export function isByteView(source: unknown): source is ArrayBufferView<ArrayBuffer> {
  return ArrayBuffer.isView(source) && source.buffer instanceof ArrayBuffer;
}
