import type { CheckedImageOptions, ImageFit } from "./image-options.js";

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** A rectangle in pixels: left, top, width and height, in the order of the parameters of `drawImage`. */
export type Rectangle = readonly [x: number, y: number, width: number, height: number];

/** Which part of an image is drawn, and where. */
export interface Placement {
  readonly from: Rectangle;
  readonly to: Rectangle;
}

/** Returns the size of the tensor. A missing width or height follows from the aspect ratio of the image. */
export function tensorSize(image: Size, { width, height }: Pick<CheckedImageOptions, "width" | "height">): Size {
  if (width !== undefined && height !== undefined) return { width, height };
  if (height !== undefined) return { width: scaled(image.width, height / image.height), height };
  if (width !== undefined) return { width, height: scaled(image.height, width / image.width) };
  return image;
}

/** Places an image as CSS `object-fit` does, on whole pixels of the tensor, so that its borders stay sharp. */
export function place(image: Size, tensor: Size, fit: ImageFit): Placement {
  const whole: Rectangle = [0, 0, image.width, image.height];
  const all: Rectangle = [0, 0, tensor.width, tensor.height];
  const [across, down] = [tensor.width / image.width, tensor.height / image.height];
  switch (fit) {
    case "fill":
      return { from: whole, to: all };
    case "contain": {
      const scale = Math.min(across, down);
      const width = Math.min(scaled(image.width, scale), tensor.width);
      const height = Math.min(scaled(image.height, scale), tensor.height);
      const left = Math.floor((tensor.width - width) / 2);
      const top = Math.floor((tensor.height - height) / 2);
      return { from: whole, to: [left, top, width, height] };
    }
    case "cover": {
      const scale = Math.max(across, down);
      const [width, height] = [tensor.width / scale, tensor.height / scale];
      return { from: [(image.width - width) / 2, (image.height - height) / 2, width, height], to: all };
    }
  }
}

function scaled(pixels: number, scale: number): number {
  return Math.max(1, Math.round(pixels * scale));
}
