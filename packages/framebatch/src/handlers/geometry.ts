import { checkImageOptions, type ImageTensorOptions, type CheckedImageOptions } from "./image-options.js";
import { imageSize, type ImageSource } from "./image-source.js";

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
