import { checkImageOptions, type CheckedImageOptions, type ImageTensorOptions } from "./image-options.js";
import { decodeBlob, drawPixels, imageSize, type ImageSource } from "./image-source.js";
import { geometryOf, type ImageGeometry } from "./geometry.js";
import { pixelsToTensor, type PixelTensor } from "./pixels.js";
import { place, tensorSize } from "./placement.js";

/** An image as a tensor without the batch axis. The caller owns `data`. */
export interface ImageTensor extends PixelTensor {
  /** Where the image is in the tensor: `boxesToImage` maps boxes back with it. */
  readonly geometry: ImageGeometry;
}

/**
 * Converts an image into a tensor without the batch axis: resizes it, fits it, orders its channels and normalizes its
 * values, as models expect them. Works in workers and on pages.
 *
 * The image stays usable: close an `ImageBitmap` or `VideoFrame` yourself. The caller owns the result. Images are read
 * as sRGB; transparent pixels are drawn over `background`. Resizing smooths, so its values depend on the browser.
 *
 * @param image an image that has loaded
 * @throws INVALID_OPTION when an option is unknown or its value is invalid, or the tensor or an `ImageData` exceeds 16384
 * pixels on a side
 * @throws INVALID_INPUT when `image` is no image, is empty, closed or not loaded yet, or belongs to another origin
 * @example
 * ```ts
 * imageToTensor(bitmap, { width: 224, height: 224, fit: "cover", mean: [0.485, 0.456, 0.406], std: [0.229, 0.224, 0.225] });
 * imageToTensor(line, { height: 48, mean: 0.5, std: 0.5 }); // the width keeps the aspect ratio
 * ```
 */
export function imageToTensor(image: ImageSource, options?: ImageTensorOptions): ImageTensor;
/**
 * Decodes an image file, and converts it as it converts an image.
 *
 * @param image a `Blob` or `File` that the browser can decode, for example a PNG, JPEG or WebP file
 * @throws INVALID_OPTION when an option is unknown or its value is invalid, or the tensor exceeds 16384 pixels on a side
 * @throws INVALID_INPUT when the image cannot be decoded
 * @example const x = await imageToTensor(file, { width: 640, height: 640, fit: "contain", background: "#727272" });
 */
export function imageToTensor(image: Blob, options?: ImageTensorOptions): Promise<ImageTensor>;
export function imageToTensor(
  image: ImageSource | Blob,
  options: ImageTensorOptions = {},
): ImageTensor | Promise<ImageTensor> {
  const checked = checkImageOptions(options);
  return isBlob(image) ? fromBlob(image, checked) : fromImage(image, checked);
}

/** Asks for a method that a `Response` lacks, because the Blob can come from another realm, such as a frame. */
function isBlob(image: ImageSource | Blob): image is Blob {
  return "stream" in Object(image);
}

async function fromBlob(blob: Blob, options: CheckedImageOptions): Promise<ImageTensor> {
  const bitmap = await decodeBlob(blob);
  try {
    return fromImage(bitmap, options);
  } finally {
    bitmap.close();
  }
}

function fromImage(image: ImageSource, options: CheckedImageOptions): ImageTensor {
  const from = imageSize(image);
  const size = tensorSize(from, options);
  const to = place(from, size, options);
  const pixels = drawPixels(image, to, size, options.background);
  return { ...pixelsToTensor(pixels, size, options), geometry: geometryOf(from, to) };
}
