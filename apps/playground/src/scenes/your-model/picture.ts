import type { TensorElements, TensorInfo } from "framebatch";
import { imageToTensor, type ImageTensorOptions } from "framebatch/handlers";

/** A smaller side is rather a feature than a picture, in pixels. */
const MIN_SIDE = 8;

const CHANNELS: Readonly<Record<number, "GRAY" | "RGB">> = { 1: "GRAY", 3: "RGB" };

/** What black and white become, for floats. */
export interface ValueRange {
  readonly low: number;
  readonly high: number;
}

/** How a picture becomes an item of an input. */
export interface PictureShape {
  readonly type: "float32" | "uint8";
  readonly layout: "NCHW" | "NHWC";
  readonly channels: "GRAY" | "RGB";
  readonly width: number;
  readonly height: number;
}

/**
 * The axes of an input that are a picture's channels, height and width: one or three channels before or after two
 * other axes. `null` if the shape is another one.
 */
export function pictureAxes({
  dims,
  batchAxis,
}: TensorInfo): { readonly channels: number; readonly sides: readonly [number, number] } | null {
  if (dims.length !== 4 || batchAxis !== 0) return null;
  if (isChannels(dims[1])) return { channels: 1, sides: [2, 3] };
  return isChannels(dims[3]) ? { channels: 3, sides: [1, 2] } : null;
}

/**
 * How a picture fills an input; `null` if the input takes no pictures.
 * @param sizes the dims of one item
 */
export function pictureShape(input: TensorInfo, sizes: readonly number[]): PictureShape | null {
  const { type } = input;
  const axes = pictureAxes(input);
  if (axes === null || (type !== "float32" && type !== "uint8")) return null;
  const [height = 0, width = 0] = axes.sides.map((axis) => sizes[axis - 1]);
  const channels = CHANNELS[sizes[axes.channels - 1] ?? 0];
  if (channels === undefined || Math.min(width, height) < MIN_SIDE) return null;
  return { type, channels, width, height, layout: axes.channels === 1 ? "NCHW" : "NHWC" };
}

/** The values of a picture: from `low` to `high` for floats, 0 to 255 for integers. */
export function pictureValues(picture: ImageBitmap, shape: PictureShape, { low, high }: ValueRange): TensorElements {
  const range = Math.max(high - low, Number.MIN_VALUE);
  const scaling: ImageTensorOptions = shape.type === "uint8" ? {} : { mean: -low / range, std: 1 / range };
  return imageToTensor(picture, { ...shape, ...scaling }).data;
}

/** "224 × 224 pixels in color, values 0 to 1" */
export function describePicture({ type, channels, width, height }: PictureShape, { low, high }: ValueRange): string {
  const range = type === "uint8" ? "0 to 255" : `${low} to ${high}`;
  return `${width} × ${height} pixels in ${channels === "RGB" ? "color" : "gray"}, values ${range}`;
}

function isChannels(size: number | null | undefined): boolean {
  return size === 1 || size === 3;
}
