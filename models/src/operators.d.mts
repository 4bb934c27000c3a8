export interface OperatorModel {
  readonly name: string;
  /** A whole ONNX file, from `x` float32 [batch, ...dims] to `y`. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The dims of an item. */
  readonly dims: readonly number[];
}

/** Makes models of one operator each. */
export function operatorModels(): OperatorModel[];
