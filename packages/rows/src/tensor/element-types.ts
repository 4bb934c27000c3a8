import { areHalfFloatBits, halfFloatBits } from "./half-float.js";
import { typedArrayClass } from "@framebatch/batcher/errors/description.js";
import type { Float16Elements, TensorData, TensorType } from "./tensor.js";

/** One element, in the form in which the tensor's array stores it. */
export type ElementValue = number | bigint | string;

/** The JavaScript array of a tensor type, and the values that it can hold. */
export interface TensorElement {
  readonly type: TensorType;
  /** The name of its array class, such as "Float32Array". */
  readonly arrayName: string;
  /** The values that `parse` accepts, for error messages: "whole numbers from 0 to 255". */
  readonly accepts: string;
  /** Creates an array of zeros or empty strings, in its own memory. */
  create(length: number): TensorData;
  /**
   * Copies `source` if it is an array of this type with `length` elements; otherwise returns `null`. Small copies are
   * placed in `slab`.
   */
  copy(source: unknown, length: number, slab: Slab): TensorData | null;
  /** Like `copy`, but without copying: the result is an array of this type over the memory of `source`. */
  view(source: unknown, length: number): TensorData | null;
  /** Creates an array over a whole buffer. Not meaningful for strings. */
  over(buffer: ArrayBuffer): TensorData;
  /** Converts a plain value into an element, or returns `undefined` if it does not fit. */
  parse(value: unknown): ElementValue | undefined;
}

/** Returns an element type. Allocates memory: call it when a model loads, not for each item. */
export function elementOf(type: TensorType): TensorElement {
  switch (type) {
    case "float32":
      return numeric(type, Float32Array, "numbers", parseFloating);
    case "float64":
      return numeric(type, Float64Array, "numbers", parseFloating);
    case "float16":
      return float16();
    case "int8":
      return integer(type, Int8Array, -128, 127);
    case "int16":
      return integer(type, Int16Array, -32768, 32767);
    case "int32":
      return integer(type, Int32Array, -2147483648, 2147483647);
    case "uint8":
      return withClamped(integer(type, Uint8Array, 0, 255));
    case "uint16":
      return integer(type, Uint16Array, 0, 65535);
    case "uint32":
      return integer(type, Uint32Array, 0, 4294967295);
    case "int64":
      return bigInteger(type, BigInt64Array, -(2n ** 63n), 2n ** 63n - 1n);
    case "uint64":
      return bigInteger(type, BigUint64Array, 0n, 2n ** 64n - 1n);
    case "bool":
      return bool();
    case "string":
      return strings();
  }
}

/** Whether framebatch supports the tensor type with this name. */
export function isTensorType(type: string): type is TensorType {
  return TENSOR_TYPES.has(type);
}

const TENSOR_TYPES: ReadonlySet<string> = new Set<TensorType>([
  "float32",
  "float64",
  "float16",
  "int8",
  "int16",
  "int32",
  "int64",
  "uint8",
  "uint16",
  "uint32",
  "uint64",
  "bool",
  "string",
]);

/** A class of typed arrays. */
interface ArrayClass<Elements> {
  readonly name: string;
  readonly BYTES_PER_ELEMENT: number;
  new (length: number): Elements;
  new (buffer: ArrayBufferLike, byteOffset?: number, length?: number): Elements;
  readonly prototype: Elements;
}

type NumericData = Exclude<TensorData, readonly string[]>;

/**
 * Returns a type with a typed array. Arrays of another realm (such as an iframe) fail `instanceof` and are recognised
 * by their class name.
 */
function numeric<Elements extends NumericData>(
  type: TensorType,
  Class: ArrayClass<Elements>,
  accepts: string,
  parse: TensorElement["parse"],
): TensorElement {
  const isOfOtherRealm = (source: unknown): source is Elements => typedArrayClass(source) === Class.name;
  return {
    type,
    arrayName: Class.name,
    accepts,
    create: (length) => new Class(length),
    copy(source, length, slab) {
      if (!(source instanceof Class || isOfOtherRealm(source)) || source.length !== length) return null;
      const copied = slab.array(Class, length);
      const target: { set(elements: ArrayLike<unknown>): void } = copied;
      target.set(source);
      return copied;
    },
    view(source, length) {
      if (!(source instanceof Class || isOfOtherRealm(source)) || source.length !== length) return null;
      return source instanceof Class ? source : new Class(source.buffer, source.byteOffset, length);
    },
    over: (buffer) => new Class(buffer),
    parse,
  };
}

function parseFloating(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

function integer<Elements extends NumericData>(
  type: TensorType,
  Class: ArrayClass<Elements>,
  least: number,
  most: number,
): TensorElement {
  return numeric(type, Class, `whole numbers from ${least} to ${most}`, (value) => {
    if (typeof value === "bigint") return value >= least && value <= most ? Number(value) : undefined;
    return typeof value === "number" && Number.isInteger(value) && value >= least && value <= most ? value : undefined;
  });
}

/**
 * Returns a 64-bit integer type. Rejects numbers that are not safe integers: they have already been rounded and may
 * stand for a different value.
 */
function bigInteger<Elements extends BigInt64Array | BigUint64Array>(
  type: TensorType,
  Class: ArrayClass<Elements>,
  least: bigint,
  most: bigint,
): TensorElement {
  return numeric(type, Class, `bigints from ${least} to ${most}, or safe integers`, (value) => {
    const big = Number.isSafeInteger(value) ? BigInt(Number(value)) : value;
    return typeof big === "bigint" && big >= least && big <= most ? big : undefined;
  });
}

/** Also accepts `Uint8ClampedArray`, the class of `ImageData.data`, as bytes. */
function withClamped(element: TensorElement): TensorElement {
  const isClamped = (source: unknown): source is Uint8ClampedArray => typedArrayClass(source) === "Uint8ClampedArray";
  return taking(element, (source) =>
    isClamped(source) ? new Uint8Array(source.buffer, source.byteOffset, source.length) : source,
  );
}

function bool(): TensorElement {
  const element = numeric("bool", Uint8Array, "true and false, or 1 and 0", (value) => {
    if (value === true || value === 1) return 1;
    return value === false || value === 0 ? 0 : undefined;
  });
  // In a kernel, a byte other than 0 or 1 is undefined behaviour.
  const checked = (bytes: TensorData | null) =>
    bytes instanceof Uint8Array && bytes.every((byte) => byte <= 1) ? bytes : null;
  return {
    ...element,
    copy: (source, length, slab) => checked(element.copy(source, length, slab)),
    view: (source, length) => checked(element.view(source, length)),
  };
}

/**
 * Returns an element type that also accepts arrays of another class.
 * @param seen converts such an array to the type's own class
 */
function taking(element: TensorElement, seen: (source: unknown) => unknown): TensorElement {
  return {
    ...element,
    copy: (source, length, slab) => element.copy(seen(source), length, slab),
    view: (source, length) => element.view(seen(source), length),
  };
}

/** With a native `Float16Array`, a `Uint16Array` is still accepted as raw bits, as in ONNX Runtime. */
function float16(): TensorElement {
  const Class: unknown = Reflect.get(globalThis, "Float16Array");
  if (!isFloat16Class(Class)) {
    return numeric("float16", Uint16Array, "numbers", (value) =>
      typeof value === "number" ? halfFloatBits(value) : undefined,
    );
  }
  return taking(numeric("float16", Class, "numbers", parseFloating), (source) =>
    areHalfFloatBits(source) ? new Class(source.buffer, source.byteOffset, source.length) : source,
  );
}

function isFloat16Class(value: unknown): value is ArrayClass<Float16Elements> {
  return typeof value === "function" && value.name === "Float16Array";
}

/** Strings are stored in plain arrays, which cannot be copied natively: each element must be checked. */
function strings(): TensorElement {
  return {
    type: "string",
    arrayName: "Array of strings",
    accepts: "strings",
    create: (length) => Array.from({ length }, () => ""),
    copy: () => null,
    view: () => null,
    over: () => [],
    parse: (value) => (typeof value === "string" ? value : undefined),
  };
}

/** Shared memory for snapshots. `used` counts bytes, `live` counts snapshots in use. */
interface Chunk {
  readonly buffer: ArrayBuffer;
  used: number;
  live: number;
}

/**
 * Copies elements into memory that framebatch owns, and allocates that for many small snapshots. A separate
 * `ArrayBuffer` for each would cost an allocation outside the JavaScript heap, which takes several times as long as a
 * view of a shared one, and adds work for the garbage collector. A chunk is reused once all of its snapshots have been
 * released. If a snapshot is never released, the garbage collector frees the chunk with the last of its snapshots.
 */
export class Slab {
  readonly #chunks = new WeakMap<ArrayBufferLike, Chunk>();
  readonly #spare: Chunk[] = [];
  #current = this.#newChunk();

  /** Copies `source`, see `Intake`. */
  take(element: TensorElement, source: unknown, length: number): TensorData | null {
    return element.copy(source, length, this);
  }

  /** Returns an array for a snapshot. Its content is undefined. */
  array<Elements>(Class: ArrayClass<Elements>, length: number): Elements {
    const byteLength = length * Class.BYTES_PER_ELEMENT;
    if (byteLength > MAX_SHARE_BYTES) return new Class(length);
    if (this.#current.used + byteLength > CHUNK_BYTES) this.#advance();
    const chunk = this.#current;
    const start = chunk.used;
    chunk.used = Math.ceil((start + byteLength) / ALIGNMENT) * ALIGNMENT;
    chunk.live += 1;
    return new Class(chunk.buffer, start, length);
  }

  /** Releases snapshots that will not be read again. Ignores arrays that are not in a chunk. */
  release(snapshots: Iterable<TensorData | null>): void {
    let chunk = this.#current;
    for (const snapshot of snapshots) {
      if (snapshot === null || !("buffer" in snapshot)) continue;
      const { buffer } = snapshot;
      if (buffer !== chunk.buffer) {
        const other = this.#chunks.get(buffer);
        if (other === undefined) continue;
        chunk = other;
      }
      chunk.live -= 1;
      if (chunk.live > 0) continue;
      chunk.used = 0;
      if (chunk !== this.#current && this.#spare.length < MAX_SPARE_CHUNKS) this.#spare.push(chunk);
    }
  }

  #advance(): void {
    this.#current = this.#spare.pop() ?? this.#newChunk();
  }

  #newChunk(): Chunk {
    const chunk = { buffer: new ArrayBuffer(CHUNK_BYTES), used: 0, live: 0 };
    this.#chunks.set(chunk.buffer, chunk);
    return chunk;
  }
}

/** Size of a chunk, in bytes. */
const CHUNK_BYTES = 65536;

/** Maximum number of unused chunks kept for reuse. */
const MAX_SPARE_CHUNKS = 4;

/**
 * Maximum size of a snapshot in a chunk, in bytes. A larger one gets its own buffer, because it would waste the rest of
 * a chunk.
 */
export const MAX_SHARE_BYTES = 8192;

/** A valid offset for every typed array is a multiple of this. */
const ALIGNMENT = 8;
