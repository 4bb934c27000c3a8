import type { TensorInfo } from "../tensor/tensor.js";

/**
 * The description of an input or output by ONNX Runtime. A value that is not a tensor (a sequence, a map) has no
 * `type`.
 */
export interface TensorMetadata {
  readonly name: string;
  readonly type?: string;
  /**
   * A named dynamic size is a string. An unnamed one is 4294967295 or negative. A scalar and an unknown rank are both
   * `[]`.
   */
  readonly shape?: readonly (string | number)[];
  /** Of an output in a file: the operator that computes it; empty if the file does not tell. @default it is in no file */
  readonly operator?: string | undefined;
}

/** The inputs and outputs of a model, as plain data that can cross threads. */
export interface ModelSignature {
  readonly inputs: readonly TensorInfo[];
  readonly outputs: readonly TensorInfo[];
  /**
   * The batch size that is fixed in the model, or `null` if any size is accepted. A model with a fixed size N > 1
   * always gets N rows. A model with a fixed size of 1 gets one row, and its outputs without a batch axis belong to
   * that row; likewise its inputs, if none has a batch axis.
   */
  readonly fixedBatch: number | null;
}

/** Returns the outputs that a run computes. */
export function outputNames({ outputs }: ModelSignature): string[] {
  return outputs.map(({ name }) => name);
}

/** The `batchAxis` option: the batch axis by tensor name, `null` for a tensor that the whole batch shares. */
export type BatchAxisOverrides = Readonly<Record<string, number | null>>;

/** A tensor whose batch axis is not determined yet. */
export type UnresolvedTensor = Omit<TensorInfo, "batchAxis">;

/** Returns the axis that the user set, or `undefined` if none is set. */
export function overriddenAxis(name: string, overrides: BatchAxisOverrides): number | null | undefined {
  return Object.hasOwn(overrides, name) ? overrides[name] : undefined;
}

/** Whether some input has a batch axis. */
export function hasBatch(inputs: readonly Pick<TensorInfo, "batchAxis">[]): boolean {
  return inputs.some(({ batchAxis }) => batchAxis !== null);
}
