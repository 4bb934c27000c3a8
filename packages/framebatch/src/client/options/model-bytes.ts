/** Levels of lists and objects around the bytes of a file: those of each provider, their list, and a file. */
const LEVELS = 3;

/**
 * Copies the bytes in lists and plain objects at once, so that the caller may change or transfer them while the code that
 * uses them loads.
 */
export function copyBytes<Value>(value: Value, levels?: number): Value;
export function copyBytes(value: unknown, levels = LEVELS): unknown {
  if (isBytes(value)) return new Blob([value]);
  if (levels === 0) return value;
  if (Array.isArray(value)) return value.map((element) => copyBytes(element, levels - 1));
  if (classOf(value) !== "Object") return value;
  return Object.fromEntries(Object.entries(Object(value)).map(([name, own]) => [name, copyBytes(own, levels - 1)]));
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
