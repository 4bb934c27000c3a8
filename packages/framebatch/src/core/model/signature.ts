import type { TensorInfo } from "../tensor/tensor.js";

/** An input or output as ONNX Runtime describes it. One that is not a tensor (a sequence, a map) has no `type`. */
export interface TensorMetadata {
  readonly name: string;
  readonly type?: string;
  /** A named dynamic size is a string, an unnamed one 4294967295 or negative; a scalar and an unknown rank are both `[]`. */
  readonly shape?: readonly (string | number)[];
}

/** What a model takes and gives. Plain data: it crosses threads as it is. */
export interface ModelSignature {
  readonly inputs: readonly TensorInfo[];
  readonly outputs: readonly TensorInfo[];
  /**
   * The batch size that is written into the model, or `null` where any will do. A model fixed at N > 1 is always given N
   * rows; one fixed at 1 takes no more than one row, and its outputs without a batch axis belong to that row.
   */
  readonly fixedBatch: number | null;
}

/** Batch axis by tensor name, as the user sets it: `null` for a tensor that the whole batch shares. */
export type BatchAxisOverrides = Readonly<Record<string, number | null>>;

/** A tensor whose batch axis is not known yet. */
export type UnresolvedTensor = Omit<TensorInfo, "batchAxis">;

/** The axis that the user has set: `undefined` where none is. */
export function overriddenAxis(name: string, overrides: BatchAxisOverrides): number | null | undefined {
  return Object.hasOwn(overrides, name) ? overrides[name] : undefined;
}
