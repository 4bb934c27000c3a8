/** The path by which the model refers to its weights. */
export const WEIGHTS_PATH: string;

/** The size of a model whose weights are in a file of their own. */
export interface Size {
  /** Number of matrices, one after the other. */
  readonly matrices: number;
  /** Rows and columns of each matrix; a multiple of 16. */
  readonly width: number;
}

/** Returns the ONNX file of y = x · W0 · W1 …: `x` and `y` float32 [batch, width]. */
export function modelWithExternalWeights(size: Size): Uint8Array<ArrayBuffer>;

/** Returns the weights, one matrix after the other. */
export function externalWeights(size: Size): Generator<Uint8Array<ArrayBuffer>>;
