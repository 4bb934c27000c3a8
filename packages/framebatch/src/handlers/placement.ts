import type { CheckedImageOptions } from "./image-options.js";

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
 * Returns where the whole image is in the tensor, as CSS `object-fit` places it: on whole pixels with `contain`, so that its
 * borders stay sharp, and beyond the tensor with `cover`. A size that follows from the aspect ratio is filled.
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
