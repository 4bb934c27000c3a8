import { imageToTensor, type ImageSource, type ImageTensor } from "framebatch/handlers";
import type { RotatedBox } from "../boxes/geometry.js";
import { LINE_HEIGHT, lineWidth, PADDING, paddedWidth } from "./line-size.js";

/**
 * Cuts a line out of a page: turned upright, at the recognizer's height, padded on the right.
 * @param box along its text (`alongText`), in pixels of the page
 */
export function cutLine(page: CanvasImageSource, box: RotatedBox): OffscreenCanvas {
  const width = lineWidth(box);
  const canvas = new OffscreenCanvas(paddedWidth(width), LINE_HEIGHT);
  const context = canvas.getContext("2d", { alpha: false, willReadFrequently: true });
  if (context === null) throw new Error("expected a 2D canvas, got none");
  context.fillStyle = PADDING;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.beginPath();
  context.rect(0, 0, width, LINE_HEIGHT);
  context.clip();
  context.imageSmoothingQuality = "high";
  context.translate(width / 2, LINE_HEIGHT / 2);
  context.scale(width / box.width, LINE_HEIGHT / box.height);
  context.rotate(-box.angle);
  context.drawImage(page, -box.center.x, -box.center.y);
  return canvas;
}

/** The recognizer's input `x`, [3, 48, width]: blue first, values from -1 to 1. */
export function lineInput(line: ImageSource): ImageTensor {
  return imageToTensor(line, { channels: "BGR", mean: 0.5, std: 0.5 });
}
