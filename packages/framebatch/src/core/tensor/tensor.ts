/** The tensor types of ONNX that have an array in JavaScript, by ONNX Runtime's names. */
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

/** A `Float16Array`, described here so that neither framebatch nor its users need a library of types that knows it. */
export interface Float16Elements extends ArrayBufferView {
  readonly [Symbol.toStringTag]: "Float16Array";
  readonly length: number;
  [index: number]: number;
  set(elements: ArrayLike<number>, offset?: number): void;
  slice(start?: number, end?: number): Float16Elements;
  subarray(start?: number, end?: number): Float16Elements;
}

/**
 * Elements in row-major order. `float16` is a `Float16Array` where the engine has one and a `Uint16Array` of raw bits
 * elsewhere; `int64` and `uint64` are BigInt arrays; `bool` is a `Uint8Array` of 0 and 1; `string` is an array.
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

/** A tensor as framebatch hands it out. It owns `data`: no other tensor shares its buffer. */
export interface Tensor {
  readonly type: TensorType;
  readonly dims: readonly number[];
  readonly data: TensorData;
}

/** Elements as a caller may give them. Plain numbers are converted to the model's type, and refused where they do not fit. */
export type TensorElements = TensorData | Uint8ClampedArray | readonly (number | bigint | boolean | string)[];

/** A tensor as a caller may give it: only elements, or elements with their dims and, for clarity, their type. */
export type TensorLike =
  | TensorElements
  | { readonly data: TensorElements; readonly dims?: readonly number[]; readonly type?: TensorType };

/** One input or output of a model. */
export interface TensorInfo {
  readonly name: string;
  readonly type: TensorType;
  /** Sizes with the batch axis included; `null` where the size is dynamic. */
  readonly dims: readonly (number | null)[];
  /** The model's names of its dynamic dimensions, `null` where one has none. Equal names are equal sizes. */
  readonly symbols: readonly (string | null)[];
  /** Which of `dims` is the batch, or `null` for an input that the whole batch shares. */
  readonly batchAxis: number | null;
}
