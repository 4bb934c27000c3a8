import { imageToTensor, type ImageSource, type ImageTensor } from "framebatch/handlers";

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The detector halves its input five times, so both sides are multiples of 32. */
const MULTIPLE = 32;

/**
 * Returns the size at which the detector sees a page: the longer side at most `limit`, both sides rounded to multiples
 * of 32, as PP-OCR's `DetResizeForTest` does.
 * @param limit pixels; PP-OCR's own is 960
 */
export function detectorSize({ width, height }: Size, limit: number): Size {
  const scale = Math.min(1, limit / Math.max(width, height));
  const rounded = (pixels: number) => Math.max(MULTIPLE, Math.round((pixels * scale) / MULTIPLE) * MULTIPLE);
  return { width: rounded(width), height: rounded(height) };
}

/** The detector's input `x`, [3, height, width]: blue first, normalized as PP-OCRv4's configuration says. */
export function detectorInput(page: ImageSource, size: Size): ImageTensor {
  return imageToTensor(page, {
    ...size,
    channels: "BGR",
    mean: [0.485, 0.456, 0.406],
    std: [0.229, 0.224, 0.225],
    background: "white",
  });
}
