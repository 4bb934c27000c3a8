import { imageToTensor, type ImageTensor } from "framebatch/handlers";
import type { RotatedBox } from "../boxes/geometry.js";
import { LINE_HEIGHT, PADDING } from "./line-size.js";

/** The width of the classifier's input. Longer lines are squeezed, shorter ones padded. */
const CLASSIFIER_WIDTH = 192;
/** A line is turned only if the classifier is at least this sure (PP-OCR's `cls_thresh`). */
const SURE = 0.9;

/**
 * The input `x` of PP-OCR's direction classifier, [3, 48, 192]: blue first, values from -1 to 1.
 * @param line from `cutLine`
 * @param width the width of the line without its padding, in pixels
 */
export function classifierInput(line: OffscreenCanvas, width: number): ImageTensor {
  const canvas = new OffscreenCanvas(CLASSIFIER_WIDTH, LINE_HEIGHT);
  const context = canvas.getContext("2d", { alpha: false, willReadFrequently: true });
  if (context === null) throw new Error("expected a 2D canvas, got none");
  context.fillStyle = PADDING;
  context.fillRect(0, 0, CLASSIFIER_WIDTH, LINE_HEIGHT);
  context.imageSmoothingQuality = "high";
  context.drawImage(line, 0, 0, width, LINE_HEIGHT, 0, 0, Math.min(width, CLASSIFIER_WIDTH), LINE_HEIGHT);
  return imageToTensor(canvas, { channels: "BGR", mean: 0.5, std: 0.5 });
}

/** @param probabilities the classifier's output: upright, upside down */
export function isUpsideDown(probabilities: ArrayLike<number>): boolean {
  return (probabilities[1] ?? 0) >= SURE;
}

/** Turns a box by 180°, so that its text is upright. */
export function turnedAround<Box extends RotatedBox>(box: Box): Box {
  return { ...box, angle: box.angle + Math.PI };
}
