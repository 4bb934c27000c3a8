/** The types that the benchmark can make inputs of. */
export type InputType = "float32" | "int32" | "int64" | "uint8";

export type BenchData = Float32Array | Int32Array | BigInt64Array | Uint8Array;

/** A tensor as framebatch and ONNX Runtime take it. */
export interface BenchTensor {
  readonly type: InputType;
  readonly dims: readonly number[];
  readonly data: BenchData;
}

/** One prediction to ask for: a tensor for each input, without the batch. */
export type BenchItem = Readonly<Record<string, BenchTensor>>;

/** Elements of an output, whatever their type. */
export type Numbers = ArrayLike<number | bigint>;

/** Zeros. */
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
