import type { RotatedBox } from "../boxes/geometry.js";

/** The height of the recognizer's input. */
export const LINE_HEIGHT = 48;
/** The gray whose normalized value is nearest to 0, with which PP-OCR pads lines. */
export const PADDING = "rgb(128 128 128)";
/** Lines are padded to widths in these steps, so that lines of similar lengths share a batch. */
const WIDTH_STEP = 64;
const MIN_WIDTH = 64;
/** A box this much taller than wide holds a line that runs down the page (PP-OCR's `get_rotate_crop_image`). */
const TALL = 1.5;

/** Turns the box of a line that runs down the page by a quarter, so that its text runs along its width. */
export function alongText<Box extends RotatedBox>(box: Box): Box {
  if (box.height < TALL * box.width) return box;
  return { ...box, width: box.height, height: box.width, angle: box.angle + Math.PI / 2 };
}

/** Returns the width of a line at the recognizer's height, in pixels. */
export function lineWidth({ width, height }: RotatedBox): number {
  return Math.max(1, Math.round((width * LINE_HEIGHT) / height));
}

/** Returns the width to which a line of `width` pixels is padded. */
export function paddedWidth(width: number): number {
  return Math.max(MIN_WIDTH, Math.ceil(width / WIDTH_STEP) * WIDTH_STEP);
}
