import { elementsKey } from "../../core/collate/content-key.js";

/** Maximum nesting depth of an item with a key. An item that contains itself exceeds it. */
const MAX_DEPTH = 32;

const TYPED_ARRAY: unknown = Object.getPrototypeOf(Uint8Array.prototype);

/**
 * Returns the default key of an item. Two items have equal keys exactly if their contents are identical. A key exists
 * for primitives (-0 differs from 0, and NaN equals NaN), and for plain objects, arrays, typed arrays and
 * `ArrayBuffer`s of them. Returns `undefined` for an item that contains anything else (a Map, a Blob, an instance of a
 * class, a getter, a symbol): such an item shares no result.
 */
export function contentKeyOf(item: unknown): string | undefined {
  const writer = new KeyWriter();
  return writer.write(item, 0) ? writer.key : undefined;
}

/**
 * Builds a key. Every part has a length or a terminator, so that different items never concatenate to the same key.
 */
class KeyWriter {
  key = "";

  /** Appends a value. Returns false if it has no key. */
  write(value: unknown, depth: number): boolean {
    if (typeof value === "string") return this.#add(`"${value.length}:${value}`);
    if (typeof value === "number") return this.#add(Object.is(value, -0) ? "-0;" : `${value};`);
    if (typeof value === "bigint") return this.#add(`${value}n;`);
    if (typeof value === "boolean" || value === undefined || value === null) return this.#add(`${value};`);
    if (typeof value !== "object" || depth > MAX_DEPTH) return false;
    if (Array.isArray(value)) return this.#writeArray(value, depth);
    if (ArrayBuffer.isView(value)) return this.#writeView(value);
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype === ArrayBuffer.prototype) return this.#writeBuffer(value);
    if (prototype !== Object.prototype && prototype !== null) return false;
    return this.#writeObject(value, prototype === null ? "0{" : "{", depth);
  }

  #add(part: string): true {
    this.key += part;
    return true;
  }

  /** Appends an array. Returns false if it has holes, or properties besides its elements. */
  #writeArray(value: readonly unknown[], depth: number): boolean {
    if (Object.getPrototypeOf(value) !== Array.prototype || Reflect.ownKeys(value).length !== value.length + 1)
      return false;
    this.#add(`[${value.length}:`);
    for (let index = 0; index < value.length; index++) {
      if (!this.#writeProperty(value, String(index), depth)) return false;
    }
    return true;
  }

  #writeObject(value: object, start: string, depth: number): boolean {
    const names = Reflect.ownKeys(value);
    this.#add(`${start}${names.length}:`);
    return names.every((name) => {
      if (typeof name === "symbol") return false;
      return this.write(name, depth) && this.#writeProperty(value, name, depth);
    });
  }

  #writeProperty(value: object, name: string, depth: number): boolean {
    const property = Object.getOwnPropertyDescriptor(value, name);
    return property?.enumerable === true && "value" in property && this.write(property.value, depth + 1);
  }

  #writeView(value: ArrayBufferView): boolean {
    const prototype: unknown = Object.getPrototypeOf(value);
    const isPlain =
      typeof prototype === "object" && prototype !== null && Object.getPrototypeOf(prototype) === TYPED_ARRAY;
    // An array with properties besides its elements has no key.
    if (!isPlain || !("length" in value) || Reflect.ownKeys(value).length !== value.length) return false;
    return this.#writeBytes(Object.prototype.toString.call(value), value.buffer, value.byteOffset, value.byteLength);
  }

  #writeBuffer(value: object): boolean {
    if (!(value instanceof ArrayBuffer) || Reflect.ownKeys(value).length > 0) return false;
    return this.#writeBytes("ArrayBuffer", value, 0, value.byteLength);
  }

  #writeBytes(type: string, buffer: ArrayBufferLike, byteOffset: number, byteLength: number): true {
    // `elementsKey` reads the bytes in pairs, so bytes that start at an odd offset are copied.
    const bytes = new Uint8Array(buffer, byteOffset, byteLength);
    return this.#add(`${type}${byteLength}:${elementsKey(byteOffset % 2 === 0 ? bytes : bytes.slice())}`);
  }
}
