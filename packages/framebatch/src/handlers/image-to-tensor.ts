import { channelCount, type CheckedImageOptions, checkImageOptions, type ImageTensorOptions } from "./image-options.js";
import { decodeBlob, drawPixels, imageSize, type ImageSource } from "./image-source.js";

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
 * @throws INVALID_OPTION when an option is unknown or its value is invalid, or the tensor or an `ImageData` exceeds
 * 16384 pixels on a side
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
 * @throws INVALID_OPTION when an option is unknown or its value is invalid, or the tensor exceeds 16384 pixels on a
 * side
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

/** Pixels as a tensor without the batch axis. The caller owns `data`. */
export interface PixelTensor {
  /** The element type: that of the option `type`. */
  readonly type: "float32" | "uint8";
  /** [channels, height, width], or [height, width, channels] with `layout: "NHWC"`. */
  readonly dims: readonly [number, number, number];
  /** The elements in row-major order; as many as the product of `dims`. */
  readonly data: Float32Array | Uint8Array;
}

type Format = Pick<CheckedImageOptions, "channels" | "layout" | "type" | "mean" | "std">;

/** 8-bit values of one channel: every `step`-th of `values`, from `start`. */
interface Channel {
  readonly values: Uint8Array | Uint8ClampedArray;
  readonly start: number;
  readonly step: number;
}

/**
 * Converts opaque pixels into a tensor.
 * @param rgba four values for each pixel, row by row; the fourth is ignored
 */
export function pixelsToTensor(rgba: Uint8ClampedArray, { width, height }: Size, format: Format): PixelTensor {
  const pixels = width * height;
  const count = channelCount(format.channels);
  const isPlanar = format.layout === "NCHW";
  const data = format.type === "uint8" ? new Uint8Array(count * pixels) : new Float32Array(count * pixels);
  channelsOf(rgba, format.channels).forEach((channel, index) => {
    const elements = elementTable(format, index);
    if (isPlanar) fill(data, { start: index * pixels, step: 1 }, channel, elements);
    else fill(data, { start: index, step: count }, channel, elements);
  });
  return { type: format.type, dims: isPlanar ? [count, height, width] : [height, width, count], data };
}

function channelsOf(rgba: Uint8ClampedArray, channels: Format["channels"]): readonly Channel[] {
  if (channels === "GRAY") return [{ values: luma(rgba), start: 0, step: 1 }];
  const order = channels === "RGB" ? [0, 1, 2] : [2, 1, 0];
  return order.map((start) => ({ values: rgba, start, step: 4 }));
}

/**
 * Returns the luma of each pixel by ITU-R BT.601, with the weights in units of 1 / 65536, rounded: the formula of
 * Pillow's conversion to the mode "L".
 */
function luma(rgba: Uint8ClampedArray): Uint8Array {
  const gray = new Uint8Array(rgba.length / 4);
  for (let pixel = 0, at = 0; pixel < gray.length; pixel++, at += 4) {
    const sum = 19595 * (rgba[at] ?? 0) + 38470 * (rgba[at + 1] ?? 0) + 7471 * (rgba[at + 2] ?? 0);
    gray[pixel] = (sum + 0x8000) >> 16;
  }
  return gray;
}

/** Returns the element of the tensor for each 8-bit value of a channel: a channel has only 256 of them. */
function elementTable({ type, mean, std }: Format, channel: number): Float32Array | Uint8Array {
  const [shift, scale] = [mean[channel] ?? 0, std[channel] ?? 1];
  const elements = type === "uint8" ? new Uint8Array(256) : new Float32Array(256);
  // No `from` with a function: it takes ten times as long, and longer than to draw a small image.
  for (let value = 0; value < 256; value++) elements[value] = type === "uint8" ? value : (value / 255 - shift) / scale;
  return elements;
}

function fill(
  data: Float32Array | Uint8Array,
  to: { readonly start: number; readonly step: number },
  { values, start, step }: Channel,
  elements: Float32Array | Uint8Array,
): void {
  for (let from = start, at = to.start; from < values.length; from += step, at += to.step) {
    data[at] = elements[values[from] ?? 0] ?? 0;
  }
}

/**
 * Where an image is in its tensor. A point (x, y) of the image, in pixels, is at
 * (x · scaleX + offsetX, y · scaleY + offsetY) of the tensor.
 */
export interface ImageGeometry {
  /** Pixels of the tensor for one pixel of the image, across. */
  readonly scaleX: number;
  /** Pixels of the tensor for one pixel of the image, down. */
  readonly scaleY: number;
  /** Where the left edge of the image is in the tensor, in pixels; negative if `cover` cuts it off. */
  readonly offsetX: number;
  /** Where the top edge of the image is in the tensor, in pixels; negative if `cover` cuts it off. */
  readonly offsetY: number;
}

/** A rectangle, in pixels. */
export interface Box {
  /** The left edge. */
  readonly x: number;
  /** The top edge. */
  readonly y: number;
  /** The width. */
  readonly width: number;
  /** The height. */
  readonly height: number;
}

/** @param place where the whole image is in the tensor */
export function geometryOf({ width, height }: Size, [offsetX, offsetY, across, down]: Rectangle): ImageGeometry {
  return { scaleX: across / width, scaleY: down / height, offsetX, offsetY };
}

/**
 * Returns where an image is in the tensor that `imageToTensor` makes of it, without making it: for `postprocess`, which
 * gets the image, but not the tensor.
 *
 * @param image an image that has loaded and is not closed
 * @param options those of `imageToTensor`
 * @throws INVALID_OPTION when an option is unknown or its value is invalid
 * @throws INVALID_INPUT when `image` is no image, is empty, closed or not loaded yet
 * @example const geometry = imageGeometry(bitmap, { width: 640, height: 640, fit: "contain" });
 */
export function imageGeometry(image: ImageSource, options: ImageTensorOptions = {}): ImageGeometry {
  const checked = checkImageOptions(options);
  const from = imageSize(image);
  return geometryOf(from, place(from, tensorSize(from, checked), checked));
}

/**
 * Maps boxes from the tensor back to the image. Other properties of a box stay as they are. Boxes are not clipped to
 * the image.
 *
 * @param boxes in pixels of the tensor
 * @param geometry that of the tensor
 * @returns new boxes, in pixels of the image
 * @example
 * ```ts
 * const geometry = imageGeometry(bitmap, { width: 640, height: 640, fit: "contain" });
 * const [box] = boxesToImage([{ x: 320, y: 320, width: 64, height: 64 }], geometry);
 * ```
 */
export function boxesToImage<Some extends Box>(boxes: readonly Some[], geometry: ImageGeometry): Some[] {
  const { scaleX, scaleY, offsetX, offsetY } = geometry;
  return boxes.map((box) => ({
    ...box,
    x: (box.x - offsetX) / scaleX,
    y: (box.y - offsetY) / scaleY,
    width: box.width / scaleX,
    height: box.height / scaleY,
  }));
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** A rectangle in pixels of the tensor: left, top, width and height, in the order of the parameters of `drawImage`. */
export type Rectangle = readonly [x: number, y: number, width: number, height: number];

type Wanted = Pick<CheckedImageOptions, "width" | "height" | "fit">;

/** Returns the size of the tensor. A missing width or height follows from the aspect ratio of the image. */
export function tensorSize(image: Size, { width, height }: Pick<Wanted, "width" | "height">): Size {
  if (width !== undefined && height !== undefined) return { width, height };
  if (height !== undefined) return { width: scaled(image.width, height / image.height), height };
  if (width !== undefined) return { width, height: scaled(image.height, width / image.width) };
  return image;
}

/**
 * Returns where the whole image is in the tensor, as CSS `object-fit` places it: on whole pixels with `contain`, so
 * that its borders stay sharp, and beyond the tensor with `cover`. A size that follows from the aspect ratio is filled.
 */
export function place(image: Size, tensor: Size, { fit, width, height }: Wanted): Rectangle {
  const isFilled = fit === "fill" || width === undefined || height === undefined;
  if (isFilled) return [0, 0, tensor.width, tensor.height];
  const scales = [tensor.width / image.width, tensor.height / image.height];
  if (fit === "cover") {
    const scale = Math.max(...scales);
    const [across, down] = [image.width * scale, image.height * scale];
    return [(tensor.width - across) / 2, (tensor.height - down) / 2, across, down];
  }
  const scale = Math.min(...scales);
  const across = Math.min(scaled(image.width, scale), tensor.width);
  const down = Math.min(scaled(image.height, scale), tensor.height);
  return [Math.floor((tensor.width - across) / 2), Math.floor((tensor.height - down) / 2), across, down];
}

function scaled(pixels: number, scale: number): number {
  return Math.max(1, Math.round(pixels * scale));
}
