import type { TypedData } from "@framebatch/rows/collate/sent-rows.js";

type ArrayClass = new (buffer: ArrayBuffer) => TypedData;

/**
 * The classes of arrays that can be in an area, on both threads. This module imports no code, so that the file that a page
 * loads for shared memory divides no other one.
 */
const CLASSES: readonly ArrayClass[] = [
  Float64Array,
  Float32Array,
  Int8Array,
  Int16Array,
  Int32Array,
  BigInt64Array,
  Uint8Array,
  Uint16Array,
  Uint32Array,
  BigUint64Array,
  ...halfFloats(),
];
const NAMES = CLASSES.map(({ name }) => name);
const WORD_BYTES = 4;
/** Number of words in the table for each array. */
const ENTRY_WORDS = 3;
/** Alignment of the elements of each array, in bytes: the size of the largest element. */
const ALIGNMENT = 8;

/**
 * A part of shared memory that holds arrays. It starts with a table of 32-bit words: the number of arrays, then for each
 * array its class, byte offset and byte length. The elements follow. Only one thread at a time may use an area; the code
 * that owns the area ensures this.
 */
export class ArrayArea {
  readonly #words: Int32Array;
  readonly #bytes: Uint8Array;

  /**
   * @param offset start of the area in `memory`, in bytes; a multiple of 8
   * @param byteLength size of the area, in bytes; a multiple of 4
   */
  constructor(memory: SharedArrayBuffer, offset: number, byteLength: number) {
    this.#words = new Int32Array(memory, offset, byteLength / WORD_BYTES);
    this.#bytes = new Uint8Array(memory, offset, byteLength);
  }

  /** Copies arrays into the area. Returns false if they do not fit; the contents of the area are then undefined. */
  write(arrays: readonly TypedData[]): boolean {
    let word = 1;
    let offset = WORD_BYTES * (1 + ENTRY_WORDS * arrays.length);
    if (offset > this.#bytes.length) return false;
    for (const array of arrays) {
      const kind = NAMES.indexOf(array[Symbol.toStringTag]);
      offset = Math.ceil(offset / ALIGNMENT) * ALIGNMENT;
      if (kind < 0 || offset + array.byteLength > this.#bytes.length) return false;
      this.#words[word] = kind;
      this.#words[word + 1] = offset;
      this.#words[word + 2] = array.byteLength;
      this.#bytes.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), offset);
      word += ENTRY_WORDS;
      offset += array.byteLength;
    }
    this.#words[0] = arrays.length;
    return true;
  }

  /** Copies the arrays out of the area. The caller owns their buffers. */
  read(): TypedData[] {
    const arrays: TypedData[] = [];
    const end = 1 + ENTRY_WORDS * this.#words[0]!;
    for (let word = 1; word < end; word += ENTRY_WORDS) {
      const offset = this.#words[word + 1]!;
      const copy = this.#bytes.slice(offset, offset + this.#words[word + 2]!);
      arrays.push(new CLASSES[this.#words[word]!]!(copy.buffer));
    }
    return arrays;
  }
}

/** The class `Float16Array`, where the browser has it. */
function halfFloats(): ArrayClass[] {
  const Class: unknown = Reflect.get(globalThis, "Float16Array");
  return isHalfFloats(Class) ? [Class] : [];
}

function isHalfFloats(value: unknown): value is ArrayClass {
  return typeof value === "function" && value.name === "Float16Array";
}
