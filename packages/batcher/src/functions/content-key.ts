import { elementsKey } from "../queue/elements-key.js";

/** Maximum nesting depth of an item with a key. An item that contains itself exceeds it. */
const MAX_DEPTH = 32;

const TYPED_ARRAY: unknown = Object.getPrototypeOf(Uint8Array.prototype);

/**
 * Maximum length of the texts of objects that an item contains again, in characters. An object in an object in an object,
 * each several times, doubles the text at each level.
 */
const MAX_REPEATED = 2 ** 20;

/**
 * Returns the default key of an item. Two items have equal keys exactly if their contents are identical. A key exists
 * for primitives (-0 differs from 0, and NaN equals NaN), and for plain objects, arrays, typed arrays and
 * `ArrayBuffer`s of them. Returns `undefined` for an item that contains anything else (a Map, a Blob, an instance of a
 * class, an object of another realm, a getter, a symbol), or the same objects very often: such an item shares no result.
 */
export function contentKeyOf(item: unknown): string | undefined {
  return new KeyWriter().textOf(item, 0) ?? undefined;
}

/**
 * Writes a key. Reads each object once, however often the item contains it. Every part has a length or a terminator, so
 * that different items never concatenate to the same key. A text is `null` if there is no key.
 */
class KeyWriter {
  readonly #texts = new Map<object, string>();
  #repeated = 0;

  textOf(value: unknown, depth: number): string | null {
    if (typeof value === "string") return `"${value.length}:${value}`;
    if (typeof value === "number") return Object.is(value, -0) ? "-0;" : `${value};`;
    if (typeof value === "bigint") return `${value}n;`;
    if (typeof value === "boolean" || value === undefined || value === null) return `${value};`;
    if (typeof value !== "object" || depth > MAX_DEPTH) return null;
    const known = this.#texts.get(value);
    if (known === undefined) return this.#textOfNew(value, depth);
    this.#repeated += known.length;
    return this.#repeated > MAX_REPEATED ? null : known;
  }

  #textOfNew(value: object, depth: number): string | null {
    const text = this.#read(value, depth);
    if (text !== null) this.#texts.set(value, text);
    return text;
  }

  #read(value: object, depth: number): string | null {
    if (Array.isArray(value)) return this.#textOfArray(value, depth);
    if (ArrayBuffer.isView(value)) return textOfView(value);
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype === ArrayBuffer.prototype) return textOfBuffer(value);
    if (prototype !== Object.prototype && prototype !== null) return null;
    return this.#textOfObject(value, prototype === null ? "0{" : "{", depth);
  }

  /** Returns `null` for an array that has holes, or properties besides its elements. */
  #textOfArray(value: readonly unknown[], depth: number): string | null {
    if (Object.getPrototypeOf(value) !== Array.prototype || Reflect.ownKeys(value).length !== value.length + 1)
      return null;
    let text = `[${value.length}:`;
    for (let index = 0; index < value.length; index++) {
      const element = this.#textOfProperty(value, String(index), depth);
      if (element === null) return null;
      text += element;
    }
    return text;
  }

  #textOfObject(value: object, start: string, depth: number): string | null {
    const names = Reflect.ownKeys(value);
    let text = `${start}${names.length}:`;
    for (const name of names) {
      const property = typeof name === "string" ? this.#textOfProperty(value, name, depth) : null;
      if (property === null) return null;
      text += `${this.textOf(name, depth)}${property}`;
    }
    return text;
  }

  #textOfProperty(value: object, name: string, depth: number): string | null {
    const property = Object.getOwnPropertyDescriptor(value, name);
    return property?.enumerable === true && "value" in property ? this.textOf(property.value, depth + 1) : null;
  }
}

function textOfView(value: ArrayBufferView): string | null {
  const prototype: unknown = Object.getPrototypeOf(value);
  const isPlain =
    typeof prototype === "object" && prototype !== null && Object.getPrototypeOf(prototype) === TYPED_ARRAY;
  // An array with properties besides its elements has no key.
  if (!isPlain || !("length" in value) || Reflect.ownKeys(value).length !== value.length) return null;
  return textOfBytes(Object.prototype.toString.call(value), value.buffer, value.byteOffset, value.byteLength);
}

function textOfBuffer(value: object): string | null {
  if (!(value instanceof ArrayBuffer) || Reflect.ownKeys(value).length > 0) return null;
  return textOfBytes("ArrayBuffer", value, 0, value.byteLength);
}

function textOfBytes(type: string, buffer: ArrayBufferLike, byteOffset: number, byteLength: number): string {
  // `elementsKey` reads the bytes in pairs, so bytes that start at an odd offset are copied.
  const bytes = new Uint8Array(buffer, byteOffset, byteLength);
  return `${type}${byteLength}:${elementsKey(byteOffset % 2 === 0 ? bytes : bytes.slice())}`;
}
