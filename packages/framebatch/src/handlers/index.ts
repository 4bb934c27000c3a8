/**
 * Helpers for handlers. They also work on a page, and load nothing of the rest of framebatch.
 * @module framebatch/handlers
 */
export { boxesToImage, imageGeometry } from "./image-to-tensor.js";
export { imageToTensor } from "./image-to-tensor.js";
export { softmax, topK } from "./scores.js";
export type { ImageFit, ImageTensorOptions } from "./image-options.js";
export type { ImageSource } from "./image-source.js";
export type { Box, ImageGeometry } from "./image-to-tensor.js";
export type { ImageTensor, PixelTensor } from "./image-to-tensor.js";
export type { LabeledScore, RankedScore } from "./scores.js";
