import { copyValue } from "@framebatch/batcher/options/copy-options.js";

/**
 * Copies bytes at once, so that the caller may change or transfer them while the code that uses them loads, with the lists and
 * plain objects around them: the files of each provider, a list of files, and a file.
 */
export function copyBytes<Value>(value: Value): Value {
  return copyValue(value, (leaf) => (isBytes(leaf) ? blobOf(leaf) : leaf));
}

/** Copies bytes. Browsers make no `Blob` of memory that may be resized, so that is copied first. */
export function blobOf(bytes: ArrayBuffer | ArrayBufferView<ArrayBuffer>): Blob {
  const { buffer, byteOffset, byteLength } = ArrayBuffer.isView(bytes) ? bytes : new Uint8Array(bytes);
  const isResizable = Reflect.get(buffer, "resizable") === true;
  return new Blob([isResizable ? buffer.slice(byteOffset, byteOffset + byteLength) : bytes]);
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
