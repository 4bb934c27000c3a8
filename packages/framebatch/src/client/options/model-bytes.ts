import type { ModelSource, SourceByProvider } from "./model-source.js";

/** Copies bytes at once, so that the caller may change or transfer them while the code that uses them loads. */
export function copyBytes(source: ModelSource | SourceByProvider): ModelSource | SourceByProvider {
  if (classOf(source) !== "Object") return copyOwn(source);
  return Object.fromEntries(Object.entries(source).map(([provider, own]) => [provider, copyOwn(own)]));
}

/** Returns true for memory, or a view of it, that is not shared: a `Blob` cannot be made from shared memory. */
export function isBytes(source: unknown): source is ArrayBuffer | ArrayBufferView<ArrayBuffer> {
  return classOf(ArrayBuffer.isView(source) ? source.buffer : source) === "ArrayBuffer";
}

/**
 * Returns the name of the built-in class of a value; `"Object"` for a plain object. `instanceof` compares with the class of
 * this realm, but a page may pass objects of another one, such as a frame.
 */
export function classOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice("[object ".length, -1);
}

function copyOwn<Source>(source: Source): Source | Blob {
  return isBytes(source) ? new Blob([source]) : source;
}
