import type { TensorInfo } from "framebatch";

/** The visitor's settings for the values of one input. */
export interface InputChoice {
  /** Minimum and maximum of the generated values, inclusive, for integers and floats. */
  readonly low: number;
  readonly high: number;
  /** The visitor's values, used instead of generated ones; empty if there are none. */
  readonly ownValues: string;
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
  return { low, high, ownValues: "" };
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
  const names = inputs.flatMap((input) =>
    input.dims.flatMap((size, axis) => (size === null && axis !== input.batchAxis ? [dimensionName(input, axis)] : [])),
  );
  return Object.fromEntries(names.map((name) => [name, usualSize(name)]));
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
