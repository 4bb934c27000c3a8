/** The input types that the benchmark supports. */
export type InputType = "float32" | "int32" | "int64" | "uint8";

export type BenchData = Float32Array | Int32Array | BigInt64Array | Uint8Array;

/** A tensor in the form that framebatch and ONNX Runtime accept. */
export interface BenchTensor {
  readonly type: InputType;
  readonly dims: readonly number[];
  readonly data: BenchData;
}

/** The inputs of one prediction: one tensor per input, without the batch axis. */
export type BenchItem = Readonly<Record<string, BenchTensor>>;

/** The elements of an output of any numeric type. */
export type Numbers = ArrayLike<number | bigint>;

/** Creates an array of zeros. */
export function newData(type: InputType, length: number): BenchData {
  switch (type) {
    case "float32":
      return new Float32Array(length);
    case "int32":
      return new Int32Array(length);
    case "int64":
      return new BigInt64Array(length);
    case "uint8":
      return new Uint8Array(length);
  }
}

export function volumeOf(dims: readonly number[]): number {
  return dims.reduce((product, size) => product * size, 1);
}
