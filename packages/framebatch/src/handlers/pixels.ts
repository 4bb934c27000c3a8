import { channelCount, type CheckedImageOptions } from "./image-options.js";
import type { Size } from "./placement.js";

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
  if (type === "uint8") return Uint8Array.from({ length: 256 }, (_, value) => value);
  const [shift, scale] = [mean[channel] ?? 0, std[channel] ?? 1];
  return Float32Array.from({ length: 256 }, (_, value) => (value / 255 - shift) / scale);
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
