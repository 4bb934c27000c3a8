import digitsUrl from "@framebatch/models/digits.onnx?url";
import mlp784Url from "@framebatch/models/mlp-784.onnx?url";
import mlpTinyUrl from "@framebatch/models/mlp-tiny.onnx?url";

/** A model that the benchmark runs. All of them take and give float32, with a dynamic batch. */
export interface BenchModel {
  readonly name: string;
  readonly url: string;
  readonly input: string;
  /** Of one item: without the batch. */
  readonly dims: readonly number[];
}

/** In the order in which they are measured: where time is short, the last ones go without. */
export const MODELS: readonly BenchModel[] = [
  { name: "mlp-tiny", url: mlpTinyUrl, input: "x", dims: [64] },
  { name: "digits", url: digitsUrl, input: "image", dims: [1, 28, 28] },
  { name: "mlp-784", url: mlp784Url, input: "x", dims: [784] },
];
