import { copyValue } from "@framebatch/batcher/options/copy-options.js";
import { baseUrl } from "@framebatch/host/base-url.js";

/** The properties of a file that are neither bytes nor an address. */
const WORDS = ["path", "integrity"];

/**
 * Copies bytes and resolves addresses at once, because the caller may change or transfer the bytes, and the page its own
 * address, while the code that uses them loads. They may be in lists and plain objects: the files of each provider, a list of
 * files, and a file.
 */
export function keepFiles<Value>(value: Value): Value {
  return copyValue(value, keepFile);
}

function keepFile(value: unknown, name: string): unknown {
  if (isBytes(value)) return blobOf(value);
  const mayBeAddress = typeof value === "string" ? value !== "" : classOf(value) === "URL";
  return mayBeAddress && !WORDS.includes(name) ? resolved(String(value)) : value;
}

/** The checks reject what is no address. On a server there is nothing to which one can be relative. */
function resolved(address: string): string {
  try {
    return new URL(address, baseUrl()).href;
  } catch {
    return address;
  }
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
