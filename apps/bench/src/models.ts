import cnn28Url from "@framebatch/models/cnn-28.onnx?url";
import cnn64Url from "@framebatch/models/cnn-64.onnx?url";
import digitsUrl from "@framebatch/models/digits.onnx?url";
import languagesUrl from "@framebatch/models/languages.onnx?url";
import mlp784Url from "@framebatch/models/mlp-784.onnx?url";
import mlpTinyUrl from "@framebatch/models/mlp-tiny.onnx?url";
import textEncoderUrl from "@framebatch/models/text-encoder.onnx?url";
import type { InputType } from "./ort/tensors.js";

/** One input of a model, and what its items are made of. */
export interface BenchInput {
  readonly name: string;
  readonly type: InputType;
  /** Of one item, without the batch; one of them may be `null`, which is the item's own length. */
  readonly dims: readonly (number | null)[];
  /** Elements are drawn from 0 up to this, whole ones for whole types; `"ones"` for a mask. */
  readonly below: number | "ones";
}

/** A model that the benchmark runs, with a dynamic batch. */
export interface BenchModel {
  readonly name: string;
  readonly url: string;
  readonly inputs: readonly BenchInput[];
  /** For the inputs in which a dim is `null`. */
  readonly lengths?: Lengths;
}

/** How long items are. */
export interface Lengths {
  /** Drawn evenly from the logarithms, as whole multiples of `step`. */
  readonly least: number;
  readonly most: number;
  readonly step: number;
  /** Whether a batch may pad its items with zeros to the longest. Where zeros would change the answer, items of one length share a batch. */
  readonly pads: boolean;
}

/** In the order in which they are measured: where time is short, the last ones go without. */
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

/** An input of float32 from 0 to 1. */
export function pixels(name: string, dims: BenchInput["dims"]): BenchInput {
  return { name, type: "float32", dims, below: 1 };
}
