import type { TensorInfo } from "framebatch";
import { pictureAxes } from "./picture.js";

/** The visitor's settings for the values of one input. */
export interface InputChoice {
  /** Minimum and maximum of the generated values, inclusive, for integers and floats. */
  readonly low: number;
  readonly high: number;
  /** The visitor's values as typed, used instead of generated ones; blank if there are none. */
  readonly ownValues: string;
  /** The visitor's picture, used for every item; `null` if there is none. */
  readonly picture: ImageBitmap | null;
}

const TEXT_LENGTH = 16;
const PICTURE_SIDE = 224;
const CHANNELS = 3;

/** Default sizes of dynamic dimensions, by a pattern of their names. */
const USUAL_SIZES: readonly (readonly [RegExp, number])[] = [
  [/height|width/i, PICTURE_SIDE],
  [/channel/i, CHANNELS],
];

/**
 * Default ranges of integer inputs, by a pattern of their names: masks are ones, and ids are small enough for any
 * vocabulary.
 */
const USUAL_RANGES: readonly (readonly [RegExp, readonly [number, number]])[] = [
  [/mask/i, [1, 1]],
  [/type/i, [0, 0]],
  [/id|token/i, [0, 99]],
];

const FLOATS = /^float/;

export function usualChoice({ name, type }: TensorInfo): InputChoice {
  const [low, high] = usualRange(name, type);
  return { low, high, ownValues: "", picture: null };
}

function usualRange(name: string, type: TensorInfo["type"]): readonly [number, number] {
  if (FLOATS.test(type)) return [0, 1];
  return USUAL_RANGES.find(([words]) => words.test(name))?.[1] ?? [0, 9];
}

/** The symbolic name of a dynamic dimension, so that equal names share one size, or else its input and axis. */
export function dimensionName({ name, symbols }: TensorInfo, axis: number): string {
  return symbols[axis] ?? `${name}, axis ${axis}`;
}

/** Default sizes for the dynamic dimensions of all inputs, without the batch axes. Each name occurs once. */
export function usualSizes(inputs: readonly TensorInfo[]): Record<string, number> {
  const sizes = inputs.flatMap((input) => {
    const sides: readonly number[] = pictureAxes(input)?.sides ?? [];
    return input.dims.flatMap((size, axis) => {
      if (size !== null || axis === input.batchAxis) return [];
      const name = dimensionName(input, axis);
      return [[name, sides.includes(axis) ? PICTURE_SIDE : usualSize(name)] as const];
    });
  });
  return Object.fromEntries(sizes);
}

function usualSize(name: string): number {
  return USUAL_SIZES.find(([words]) => words.test(name))?.[1] ?? TEXT_LENGTH;
}

/** The dims of one item: without the batch axis, and with the chosen sizes for dynamic dimensions. */
export function itemDims(input: TensorInfo, sizes: Readonly<Record<string, number>>): number[] {
  return input.dims.flatMap((size, axis) =>
    axis === input.batchAxis ? [] : [size ?? sizes[dimensionName(input, axis)] ?? 1],
  );
}
