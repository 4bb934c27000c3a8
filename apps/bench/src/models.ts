import cnn28Url from "@framebatch/models/cnn-28.onnx?url";
import cnn64Url from "@framebatch/models/cnn-64.onnx?url";
import digitsUrl from "@framebatch/models/digits.onnx?url";
import languagesUrl from "@framebatch/models/languages.onnx?url";
import mlp784Url from "@framebatch/models/mlp-784.onnx?url";
import mlpTinyUrl from "@framebatch/models/mlp-tiny.onnx?url";
import textEncoderUrl from "@framebatch/models/text-encoder.onnx?url";
import type { InputType } from "./ort/tensors.js";

/** One input of a model and the range of its values. */
export interface BenchInput {
  readonly name: string;
  readonly type: InputType;
  /** The dims of one item, without the batch. At most one dim may be `null`: the length of the item. */
  readonly dims: readonly (number | null)[];
  /** Elements are random from 0 to this (exclusive), integers for integer types; `"ones"` for a mask. */
  readonly below: number | "ones";
}

/** A model of the benchmark, with a dynamic batch size. */
export interface BenchModel {
  readonly name: string;
  readonly url: string;
  readonly inputs: readonly BenchInput[];
  /** Lengths of the items, for the inputs with a `null` dim. */
  readonly lengths?: Lengths;
}

/** The distribution of the item lengths. */
export interface Lengths {
  /** Lengths are drawn uniformly on a logarithmic scale, as multiples of `step`. */
  readonly least: number;
  readonly most: number;
  readonly step: number;
  /**
   * Whether a batch may pad its items with zeros to the longest one. If zeros would change the output, only items of
   * equal length share a batch.
   */
  readonly pads: boolean;
}

/** In the order of measurement. If time runs out, the last ones are skipped. */
export const MODELS: readonly BenchModel[] = [
  { name: "mlp-tiny", url: mlpTinyUrl, inputs: [pixels("x", [64])] },
  { name: "mlp-784", url: mlp784Url, inputs: [pixels("x", [784])] },
  { name: "digits", url: digitsUrl, inputs: [pixels("image", [1, 28, 28])] },
  {
    name: "text-encoder",
    url: textEncoderUrl,
    inputs: [
      { name: "ids", type: "int64", dims: [null], below: 1000 },
      { name: "mask", type: "int64", dims: [null], below: "ones" },
    ],
    lengths: { least: 4, most: 64, step: 1, pads: true },
  },
  {
    name: "languages",
    url: languagesUrl,
    inputs: [
      { name: "ids", type: "int32", dims: [null], below: 1161 },
      { name: "mask", type: "int32", dims: [null], below: "ones" },
    ],
    lengths: { least: 4, most: 256, step: 1, pads: true },
  },
  { name: "cnn-28", url: cnn28Url, inputs: [pixels("image", [1, 28, 28])] },
  { name: "cnn-64", url: cnn64Url, inputs: [pixels("image", [3, 64, 64])] },
];

/** A float32 input with values from 0 to 1. */
export function pixels(name: string, dims: BenchInput["dims"]): BenchInput {
  return { name, type: "float32", dims, below: 1 };
}
