import { elementsKey } from "../../core/collate/content-key.js";

/** Deeper items, and those that contain themselves, have no key. */
const MAX_DEPTH = 32;

const TYPED_ARRAY: unknown = Object.getPrototypeOf(Uint8Array.prototype);

/**
 * The default key of an item: equal for two items exactly where nothing can tell their contents apart. It covers primitives
 * (-0 is not 0, and NaN is itself), and of these plain objects, arrays, typed arrays and `ArrayBuffer`s. `undefined` for an
 * item with anything else in it (a Map, a Blob, an instance of a class, a getter, a symbol): such an item is never shared.
 */
export function contentKeyOf(item: unknown): string | undefined {
  const writer = new KeyWriter();
  return writer.write(item, 0) ? writer.key : undefined;
}

/** Every part says where it ends, so that no two items run together into one key. */
class KeyWriter {
  key = "";

  /** Returns false for what has no key. */
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

  /** An array with holes, or with properties besides its elements, has no key. */
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
    // An element each, or somebody has hung more on it.
    if (!isPlain || !("length" in value) || Reflect.ownKeys(value).length !== value.length) return false;
    return this.#writeBytes(Object.prototype.toString.call(value), value.buffer, value.byteOffset, value.byteLength);
  }

  #writeBuffer(value: object): boolean {
    if (!(value instanceof ArrayBuffer) || Reflect.ownKeys(value).length > 0) return false;
    return this.#writeBytes("ArrayBuffer", value, 0, value.byteLength);
  }

  #writeBytes(type: string, buffer: ArrayBufferLike, byteOffset: number, byteLength: number): true {
    // Copied where they start at an odd byte, since they are read in pairs.
    const bytes = new Uint8Array(buffer, byteOffset, byteLength);
    return this.#add(`${type}${byteLength}:${elementsKey(byteOffset % 2 === 0 ? bytes : bytes.slice())}`);
  }
}
