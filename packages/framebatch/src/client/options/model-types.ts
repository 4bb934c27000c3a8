import type { DeviceTensor, Item, Outputs, Tensor, TensorData, TensorType } from "@framebatch/rows/tensor/tensor.js";

/** What a description of a model has: an array for each input and each output, by name. */
export interface NamedArrays {
  /** The array of each input. */
  readonly inputs: object;
  /** The array of each output. */
  readonly outputs: object;
}

/**
 * The form of an interface that describes a model: the arrays of its inputs and its outputs, by name.
 * `npx framebatch types digits.onnx` writes one. An input that callers may leave out, such as a mask that `padding`
 * fills, is an optional property.
 * @example
 * ```ts
 * interface Digits {
 *   inputs: { image: Float32Array };
 *   outputs: { logits: Float32Array };
 * }
 * const digits = await createBatchedModel<Digits>("/models/digits.onnx");
 * const { logits } = await digits.predict({ image: pixels });
 * const highest = Math.max(...logits.data);
 * ```
 */
export interface ModelTypes<Model extends NamedArrays> {
  /** The array of each input. */
  readonly inputs: { readonly [Name in keyof Model["inputs"]]: TensorData };
  /** The array of each output. */
  readonly outputs: { readonly [Name in keyof Model["outputs"]]: TensorData };
}

/** A model that nothing is known about. */
export interface UnknownModel {
  /** The array of each input. */
  readonly inputs: Readonly<Record<string, TensorData>>;
  /** The array of each output. */
  readonly outputs: Readonly<Record<string, TensorData>>;
}

/** Elements of other classes that an array of a tensor is made from. */
type OtherElements<Data> = Data extends readonly string[]
  ? never
  : Data extends BigInt64Array | BigUint64Array
    ? readonly (number | bigint)[]
    : Data extends Uint8Array
      ? Uint8ClampedArray | readonly (number | boolean)[]
      : readonly number[];

/** A tensor that a caller may pass for an array of a model: a `TensorLike` whose elements fit, or a handle. */
export type InputTensor<Data extends TensorData> =
  | DeviceTensor
  | Data
  | OtherElements<Data>
  | {
      readonly data: Data | OtherElements<Data>;
      readonly dims?: readonly number[];
      readonly type?: TensorType;
    };

/** The tensor of the only input that must be given; `never` if there are several. */
type OnlyInput<Inputs, Name = keyof Inputs> = Name extends keyof Inputs
  ? object extends Omit<Inputs, Name>
    ? InputTensor<Extract<Inputs[Name], TensorData>>
    : never
  : never;

/**
 * An item of a model that an interface describes: a tensor for each input by name, without the batch axis. A model with
 * one input also takes that tensor alone. Of a model without a description, an `Item`.
 */
export type ItemOf<Model extends NamedArrays> = string extends keyof Model["inputs"]
  ? Item
  : // Not a type with a name, so that the compiler lists the inputs when one is wrong.
    | { readonly [Name in keyof Model["inputs"]]: InputTensor<Extract<Model["inputs"][Name], TensorData>> }
    | OnlyInput<Model["inputs"]>;

/**
 * The outputs of one item of a model that an interface describes: a tensor by name. Of a model without a description,
 * `Outputs`.
 */
export type OutputsOf<Model extends NamedArrays> = string extends keyof Model["outputs"]
  ? Outputs
  : { readonly [Name in keyof Model["outputs"]]: Tensor<Extract<Model["outputs"][Name], TensorData>> };

/** The outputs of one item, of which those with these names stay on the device. */
export type KeptOutputsOf<Output, Name extends keyof Output> = string extends keyof Output
  ? { readonly [Kept in Name]: DeviceTensor } & { readonly [Other in string]: Output[keyof Output] | DeviceTensor }
  : { readonly [Kept in keyof Output]: Kept extends Name ? DeviceTensor : Output[Kept] };
