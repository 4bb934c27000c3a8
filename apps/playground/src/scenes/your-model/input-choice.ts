import type { TensorInfo } from "framebatch";

/** What the visitor may set for the values of one input. */
export interface InputChoice {
  /** Least and greatest generated value, inclusive; for whole numbers and floating-point ones. */
  readonly low: number;
  readonly high: number;
  /** The visitor's own values in place of generated ones; empty for none. */
  readonly ownValues: string;
}

const TEXT_LENGTH = 16;
const PICTURE_SIDE = 224;
const CHANNELS = 3;

/** Sizes that dynamic dimensions usually have, by what their names contain. */
const USUAL_SIZES: readonly (readonly [RegExp, number])[] = [
  [/height|width/i, PICTURE_SIDE],
  [/channel/i, CHANNELS],
];

/** Where values begin to be judged by the input's name: masks are ones, ids small enough for any vocabulary. */
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

/** A dynamic dimension by its name in the model, so that equal names are set as one, or by its place. */
export function dimensionName({ name, symbols }: TensorInfo, axis: number): string {
  return symbols[axis] ?? `${name}, axis ${axis}`;
}

/** The dynamic dimensions of all inputs but for their batch axes, each once, with sizes to begin with. */
export function usualSizes(inputs: readonly TensorInfo[]): Record<string, number> {
  const names = inputs.flatMap((input) =>
    input.dims.flatMap((size, axis) => (size === null && axis !== input.batchAxis ? [dimensionName(input, axis)] : [])),
  );
  return Object.fromEntries(names.map((name) => [name, usualSize(name)]));
}

function usualSize(name: string): number {
  return USUAL_SIZES.find(([words]) => words.test(name))?.[1] ?? TEXT_LENGTH;
}

/** The sizes of one item: without the batch axis, the dynamic ones as chosen. */
export function itemDims(input: TensorInfo, sizes: Readonly<Record<string, number>>): number[] {
  return input.dims.flatMap((size, axis) =>
    axis === input.batchAxis ? [] : [size ?? sizes[dimensionName(input, axis)] ?? 1],
  );
}
