import { optionError, quoteNames, unknownNameError } from "@framebatch/batcher/errors/option-errors.js";

/** How an image fills the tensor, as CSS `object-fit` does. */
export type ImageFit = (typeof CHOICES.fit)[number];

/**
 * How `imageToTensor` turns an image into a tensor.
 * @example
 * ```ts
 * const options: ImageTensorOptions = { width: 28, height: 28, fit: "contain", channels: "GRAY" };
 * ```
 */
export interface ImageTensorOptions {
  /**
   * Width of the tensor in pixels, 1 to 16384.
   * @default the width that keeps the aspect ratio if `height` is set, otherwise the width of the image
   */
  readonly width?: number;
  /**
   * Height of the tensor in pixels, 1 to 16384.
   * @default the height that keeps the aspect ratio if `width` is set, otherwise the height of the image
   */
  readonly height?: number;
  /**
   * Matters only if both `width` and `height` are set:
   * - `fill`: stretches the image to the size.
   * - `contain`: shows the whole image, centered, and fills the rest with `background`.
   * - `cover`: fills the size, and cuts off what exceeds it, equally on opposite sides.
   * @default "fill"
   */
  readonly fit?: ImageFit;
  /**
   * The CSS color behind transparent pixels and beside the image with `contain`.
   * @default "black"
   */
  readonly background?: string;
  /**
   * The channels and their order. `GRAY` is one channel, 0.299 R + 0.587 G + 0.114 B, rounded to 8 bits
   * (ITU-R BT.601, as Pillow and OpenCV compute it).
   * @default "RGB"
   */
  readonly channels?: (typeof CHOICES.channels)[number];
  /**
   * The order of the axes, without the batch axis: `NCHW` gives dims [channels, height, width], `NHWC` gives
   * [height, width, channels].
   * @default "NCHW"
   */
  readonly layout?: (typeof CHOICES.layout)[number];
  /**
   * `float32`: elements are (v / 255 - mean) / std, for v from 0 to 255. `uint8`: elements are v, and `mean` and `std`
   * must be left out.
   * @default "float32"
   */
  readonly type?: (typeof CHOICES.type)[number];
  /**
   * Subtracted from each value in the range 0 to 1: one number, or one for each channel in the order of `channels`.
   * The formula is that of torchvision's `Normalize` after `ToTensor`.
   * @default 0
   */
  readonly mean?: number | readonly number[];
  /**
   * Divides each value after `mean` is subtracted: one number, or one for each channel; not 0.
   * `std: 1 / 255` leaves the values 0 to 255.
   * @default 1
   */
  readonly std?: number | readonly number[];
}

/** The options with their defaults. `mean` and `std` have one number for each channel. */
export interface CheckedImageOptions {
  readonly width: number | undefined;
  readonly height: number | undefined;
  readonly fit: ImageFit;
  readonly background: string;
  readonly channels: "RGB" | "BGR" | "GRAY";
  readonly layout: "NCHW" | "NHWC";
  readonly type: "float32" | "uint8";
  readonly mean: readonly number[];
  readonly std: readonly number[];
}

const CHOICES = {
  fit: ["fill", "contain", "cover"],
  channels: ["RGB", "BGR", "GRAY"],
  layout: ["NCHW", "NHWC"],
  type: ["float32", "uint8"],
} as const;

const NAMES = ["width", "height", "background", "mean", "std", ...Object.keys(CHOICES)];

/** @throws INVALID_OPTION when a name is unknown or a value is invalid */
export function checkImageOptions(options: ImageTensorOptions): CheckedImageOptions {
  if (typeof options !== "object" || options === null) {
    throw optionError("options", "an object such as { width: 224 }", options, "pass an object, or leave it out");
  }
  for (const name of Object.keys(options)) {
    if (!NAMES.includes(name)) throw unknownNameError("options", "only options of imageToTensor", name, NAMES);
  }
  const type = choice("type", options.type ?? "float32");
  const channels = choice("channels", options.channels ?? "RGB");
  return {
    width: size("width", options.width),
    height: size("height", options.height),
    fit: choice("fit", options.fit ?? "fill"),
    background: options.background ?? "black",
    channels,
    layout: choice("layout", options.layout ?? "NCHW"),
    type,
    mean: perChannel("mean", options.mean, 0, { type, channels }),
    std: perChannel("std", options.std, 1, { type, channels }),
  };
}

export function channelCount(channels: CheckedImageOptions["channels"]): number {
  return channels === "GRAY" ? 1 : 3;
}

function choice<Name extends keyof typeof CHOICES>(
  name: Name,
  value: (typeof CHOICES)[Name][number],
): (typeof CHOICES)[Name][number] {
  const known: readonly string[] = CHOICES[name];
  if (known.includes(value)) return value;
  throw optionError(name, `one of ${quoteNames(known)}`, value, "pass one of them, or leave it out");
}

function size(name: string, value: number | undefined): number | undefined {
  if (value === undefined || (Number.isInteger(value) && value >= 1)) return value;
  throw optionError(name, "a whole number of pixels from 1", value, "round it, or leave it out");
}

function perChannel(
  name: "mean" | "std",
  value: number | readonly number[] | undefined,
  otherwise: number,
  { type, channels }: Pick<CheckedImageOptions, "type" | "channels">,
): readonly number[] {
  const count = channelCount(channels);
  if (value === undefined) return Array.from({ length: count }, () => otherwise);
  if (type === "uint8") {
    throw optionError(name, `no ${name} with type "uint8"`, value, `remove it, or use type "float32"`);
  }
  const list = typeof value === "number" ? Array.from({ length: count }, () => value) : value;
  const fits = (number: number) => Number.isFinite(number) && (name === "mean" || number !== 0);
  if (Array.isArray(list) && list.length === count && list.every(fits)) return list;
  const kind = name === "mean" ? "finite number" : "finite number other than 0";
  throw optionError(name, `a ${kind}, or ${count} for ${channels}`, value, "pass one number, or one for each channel");
}
