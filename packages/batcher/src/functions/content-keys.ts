import { randomWords } from "@framebatch/host/random-words.js";
import { ContentDigest } from "../queue/content-digest.js";

/** Maximum nesting depth of an item with a key. An item that contains itself exceeds it. */
const MAX_DEPTH = 32;

const TYPED_ARRAY: unknown = Object.getPrototypeOf(Uint8Array.prototype);

/**
 * Returns a function that returns the default key of an item: a short string. Two items have equal keys exactly if
 * their contents are identical. A key exists for primitives (-0 differs from 0, and NaN equals NaN), and for plain
 * objects, arrays, typed arrays and `ArrayBuffer`s of them. Returns `undefined` for an item that contains anything else
 * (a Map, a Blob, an instance of a class, an object of another realm, a getter, a symbol): such an item shares no
 * result.
 */
export function contentKeys(): (item: unknown) => string | undefined {
  const digest = new ContentDigest(randomWords(4));
  return (item) => {
    const text = new KeyWriter(digest).textOf(item, 0);
    return text === null ? undefined : digest.ofText(text);
  };
}

/**
 * Writes a key. Reads each object once, however often the item contains it, and writes a long text of it as its digest.
 * Every part has a length or a terminator, so that different items never concatenate to the same key. A text is `null`
 * if there is no key.
 */
class KeyWriter {
  readonly #digest: ContentDigest;
  readonly #texts = new Map<object, string>();

  constructor(digest: ContentDigest) {
    this.#digest = digest;
  }

  textOf(value: unknown, depth: number): string | null {
    if (typeof value === "string") return `"${value.length}:${value}`;
    if (typeof value === "number") return Object.is(value, -0) ? "-0;" : `${value};`;
    if (typeof value === "bigint") return `${value}n;`;
    if (typeof value === "boolean" || value === undefined || value === null) return `${value};`;
    if (typeof value !== "object" || depth > MAX_DEPTH) return null;
    return this.#texts.get(value) ?? this.#textOfNew(value, depth);
  }

  #textOfNew(value: object, depth: number): string | null {
    const whole = this.#read(value, depth);
    if (whole === null) return null;
    const text = this.#digest.ofText(whole);
    this.#texts.set(value, text);
    return text;
  }

  #read(value: object, depth: number): string | null {
    if (Array.isArray(value)) return this.#textOfArray(value, depth);
    if (ArrayBuffer.isView(value)) return this.#textOfView(value);
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype === ArrayBuffer.prototype) return this.#textOfBuffer(value);
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

  #textOfView(value: ArrayBufferView): string | null {
    const prototype: unknown = Object.getPrototypeOf(value);
    const isPlain =
      typeof prototype === "object" && prototype !== null && Object.getPrototypeOf(prototype) === TYPED_ARRAY;
    // An array with properties besides its elements has no key.
    if (!isPlain || !("length" in value) || Reflect.ownKeys(value).length !== value.length) return null;
    return this.#textOfBytes(Object.prototype.toString.call(value), value);
  }

  #textOfBuffer(value: object): string | null {
    if (!(value instanceof ArrayBuffer) || Reflect.ownKeys(value).length > 0) return null;
    return this.#textOfBytes("ArrayBuffer", new Uint8Array(value));
  }

  #textOfBytes(type: string, bytes: ArrayBufferView): string {
    return `${type}${bytes.byteLength}:${this.#digest.ofElements(bytes)}`;
  }
}
