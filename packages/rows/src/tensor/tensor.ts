/** The ONNX tensor types that have an array in JavaScript, with the names that ONNX Runtime uses. */
export type TensorType =
  | "float32"
  | "float64"
  | "float16"
  | "int8"
  | "int16"
  | "int32"
  | "int64"
  | "uint8"
  | "uint16"
  | "uint32"
  | "uint64"
  | "bool"
  | "string";

/** A `Float16Array`. Declared here so that neither framebatch nor its users need a type library that includes it. */
export interface Float16Elements extends ArrayBufferView {
  readonly [Symbol.toStringTag]: "Float16Array";
  readonly length: number;
  [index: number]: number;
  join(separator?: string): string;
  set(elements: ArrayLike<number>, offset?: number): void;
  slice(start?: number, end?: number): Float16Elements;
  subarray(start?: number, end?: number): Float16Elements;
}

/**
 * The array of a `float16` tensor: a `Float16Array` if the engine supports it, otherwise a `Uint16Array` of raw bits.
 */
export type Float16Data = Float16Elements | Uint16Array;

/**
 * Elements in row-major order. `float16` is a `Float16Array` if the engine supports it, otherwise a `Uint16Array` of
 * raw bits. `int64` and `uint64` are BigInt arrays, `bool` is a `Uint8Array` of 0 and 1, and `string` is an array of
 * strings.
 */
export type TensorData =
  | Float32Array
  | Float64Array
  | Float16Elements
  | Int8Array
  | Int16Array
  | Int32Array
  | BigInt64Array
  | Uint8Array
  | Uint16Array
  | Uint32Array
  | BigUint64Array
  | readonly string[];

/** A tensor that framebatch returns. It owns `data`: no other tensor shares its buffer. */
export interface Tensor<Data extends TensorData = TensorData> {
  /** The element type. */
  readonly type: TensorType;
  /** Sizes of the item, without the batch axis. */
  readonly dims: readonly number[];
  /** The elements in row-major order; as many as the product of `dims`. */
  readonly data: Data;
}

/**
 * The outputs of one item by name: its own row of the batch, with padding removed. Each tensor owns its memory, so the
 * caller may change or transfer it.
 */
export interface Outputs {
  readonly [name: string]: Tensor;
}

/**
 * Elements that a caller may pass. Plain numbers are converted to the model's type. Values that do not fit are
 * rejected.
 */
export type TensorElements = TensorData | Uint8ClampedArray | readonly (number | bigint | boolean | string)[];

/** A tensor that a caller may pass: only elements, or elements with their dims and optionally their type. */
export type TensorLike =
  | TensorElements
  | { readonly data: TensorElements; readonly dims?: readonly number[]; readonly type?: TensorType };

/**
 * The handle of a tensor that stays where it was computed: on the GPU, or in the memory of the worker. The option
 * `keepOnDevice` of `predict` returns it. Another model of the same group takes it as an input.
 */
export interface DeviceTensor {
  /** The element type. */
  readonly type: TensorType;
  /** Sizes of the item, without the batch axis. */
  readonly dims: readonly number[];
  /**
   * Lets the tensor go. Requests that read it keep it until they have settled. Later ones reject with `DISPOSED`. Safe
   * to call more than once. A handle that is garbage-collected without it is reported once by the event `error`.
   */
  dispose(): void;
}

/**
 * One item to predict: a tensor for each input by name, without the batch axis. A model with one batched input also
 * takes that tensor alone. A model of a group takes handles too.
 */
export type Item = TensorLike | DeviceTensor | Readonly<Record<string, TensorLike | DeviceTensor>>;

/** One input or output of a model. */
export interface TensorInfo {
  /** The name in the model. */
  readonly name: string;
  /** The element type. */
  readonly type: TensorType;
  /** Sizes including the batch axis; `null` for a dynamic size. */
  readonly dims: readonly (number | null)[];
  /** The model's names of the dynamic dimensions; `null` for an unnamed one. Equal names mean equal sizes. */
  readonly symbols: readonly (string | null)[];
  /** The index of the batch axis in `dims`, or `null` for a tensor that the whole batch shares. */
  readonly batchAxis: number | null;
  /**
   * True for an output whose batch axis has several entries for each item, one after the other, as many for each. The
   * dims of an item then keep the axis.
   */
  readonly isFolded?: true;
}

/**
 * Sets a property, whatever its name: a model may call a tensor `__proto__`, and an assignment to that would set the
 * prototype.
 */
export function setOwn<Value>(record: Record<string, Value>, name: string, value: Value): void {
  if (name !== "__proto__") record[name] = value;
  else Object.defineProperty(record, name, { value, writable: true, enumerable: true, configurable: true });
}

/**
 * Whether an object has a property of this name. It does not count those that every object has, such as `constructor`.
 */
export function hasGiven(record: object, name: string): boolean {
  return Object.hasOwn(record, name) || (name in record && !(name in Object.prototype));
}

/** Returns the property of this name; `undefined` if there is none. It is none of those that every object has. */
export function givenIn<Value>(record: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return hasGiven(record, name) ? record[name] : undefined;
}

/** Why a string cannot be an element of a tensor: parts of an error message. */
export interface TextFault {
  readonly expected: string;
  readonly got: string;
  readonly fix: string;
}

/** A surrogate that is not one of a pair: with the flag `u`, a pair is one character of another kind. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * Returns why a string would reach a model changed; `null` if it would not, or is none. ONNX Runtime's WebAssembly
 * takes strings in UTF-8, which has no half of a surrogate pair, and miscounts the bytes of the whole string if there
 * is one. It ends each string at its first U+0000, as C does.
 */
export function textFault(text: unknown): TextFault | null {
  if (typeof text !== "string") return null;
  const zero = text.indexOf("\0");
  if (zero >= 0) {
    const expected = "strings without U+0000, where ONNX Runtime would end them";
    return { expected, got: `one at character ${zero}`, fix: "remove it" };
  }
  const half = text.search(LONE_SURROGATE);
  if (half < 0) return null;
  const code = text.charCodeAt(half).toString(16).toUpperCase();
  const fix =
    'cut strings between characters, as Array.from(text).slice(0, n).join("") does, or pass text.toWellFormed()';
  return { expected: "whole characters", got: `half of one (U+${code}) at character ${half}`, fix };
}
