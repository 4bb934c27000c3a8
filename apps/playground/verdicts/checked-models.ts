/** A model whose verdict is checked against the benchmark, on WASM. */
export interface CheckedModel {
  /** Its name in the benchmark. */
  readonly name: string;
  /** Its path on the playground's server. */
  readonly path: string;
  /** Number of callers in both programs. The benchmark has isolated bursts of 4, 16 and 64. */
  readonly callers: 4 | 16 | 64;
  /** Sizes of dynamic dimensions, by their labels on the page. */
  readonly sizes?: Readonly<Record<string, number>>;
  /**
   * The length of every item, if the benchmark shall take the model as a user's own, because its items of this model
   * have different lengths, or because it does not have the model.
   */
  readonly ownLength?: number;
}

/** The benchmark's models, the real ones, and a model of many small layers, whose cost per run is fixed. */
export const CHECKED_MODELS: readonly CheckedModel[] = [
  { name: "mlp-tiny", path: "/models/mlp-tiny.onnx", callers: 64 },
  { name: "mlp-784", path: "/models/mlp-784.onnx", callers: 64 },
  { name: "digits", path: "/digits/digits.onnx", callers: 64 },
  { name: "text-encoder", path: "/models/text-encoder.onnx", callers: 16, ownLength: 16 },
  { name: "languages", path: "/languages/languages.onnx", callers: 16, ownLength: 16 },
  { name: "cnn-28", path: "/models/cnn-28.onnx", callers: 16 },
  { name: "cnn-64", path: "/models/cnn-64.onnx", callers: 16 },
  { name: "magika", path: "/models-beside/magika-standard-v3.3.onnx", callers: 16 },
  {
    name: "ocr-classifier",
    path: "/ocr-models/ch_ppocr_mobile_v2.0_cls_infer.onnx",
    callers: 16,
    sizes: { ...side(1, 48), ...side(2, 192) },
  },
  {
    name: "ocr-recogniser",
    path: "/ocr-models/ch_PP-OCRv4_rec_infer.onnx",
    callers: 4,
    sizes: side(1, 192),
    ownLength: 192,
  },
  {
    name: "ocr-detector",
    path: "/ocr-models/ch_PP-OCRv4_det_infer.onnx",
    callers: 4,
    sizes: { ...side(1, 160), ...side(2, 160) },
  },
  { name: "separate-deep-chain", path: "/models/separate-deep-chain.onnx", callers: 64, ownLength: 16 },
];

/** The size of a dimension, by the label that PaddlePaddle gives it. */
function side(index: number, size: number): Readonly<Record<string, number>> {
  return { [`p2o.DynamicDimension.${index}`]: size };
}
