import type { ModelSource, SourceByProvider } from "./model-source.js";

/** Copies bytes at once, so that the caller may change or transfer them while the code that uses them loads. */
export function copyBytes(source: ModelSource | SourceByProvider): ModelSource | SourceByProvider {
  if (typeof source !== "object" || source?.constructor !== Object) return copyOwn(source);
  return Object.fromEntries(Object.entries(source).map(([provider, own]) => [provider, copyOwn(own)]));
}

/** Returns true for a view of memory that is not shared: a `Blob` cannot be made from shared memory. */
export function isByteView(source: unknown): source is ArrayBufferView<ArrayBuffer> {
  return ArrayBuffer.isView(source) && source.buffer instanceof ArrayBuffer;
}

function copyOwn<Source>(source: Source): Source | Blob {
  return source instanceof ArrayBuffer || isByteView(source) ? new Blob([source]) : source;
}
