import { volumeOf } from "../shape.js";
import { setElements, writable } from "./writing.js";
import type { TensorData } from "./tensor.js";

/** A box inside a row-major tensor: where it starts and how far it reaches along each axis. It lies within the tensor. */
export interface Region {
  readonly dims: readonly number[];
  readonly starts: readonly number[];
  readonly sizes: readonly number[];
}

/** Writes `source`, the region's elements in row-major order, into the tensor `target`. */
export function writeRegion(target: TensorData, region: Region, source: TensorData): void {
  let from = 0;
  forEachRun(region, (offset, length) => {
    copyRun(source, from, target, offset, length);
    from += length;
  });
}

/** Sets each element of the region to `value`. */
export function fillRegion(target: TensorData, region: Region, value: unknown): void {
  const elements = writable(target);
  forEachRun(region, (offset, length) => {
    for (let index = offset; index < offset + length; index++) elements[index] = value;
  });
}

/** The region's elements in row-major order, in memory of their own. */
export function readRegion(source: TensorData, region: Region): TensorData {
  const total = volumeOf(region.sizes);
  let target: TensorData | null = null;
  let to = 0;
  forEachRun(region, (offset, length) => {
    if (length === total) {
      target = source.slice(offset, offset + length);
      return;
    }
    // A slice of the right length is a new array of the same class, whatever the class: it is overwritten from here on.
    target ??= source.slice(0, total);
    copyRun(source, offset, target, to, length);
    to += length;
  });
  return target ?? source.slice(0, 0);
}

/**
 * Calls back for each stretch of elements that lie side by side, in row-major order. Axes that the region covers whole, and
 * the one before them, make up a stretch; the axes before those are walked one index at a time.
 */
function forEachRun({ dims, starts, sizes }: Region, visit: (offset: number, length: number) => void): void {
  if (volumeOf(sizes) === 0) return;
  let runAxis = dims.length - 1;
  while (runAxis > 0 && sizes[runAxis] === dims[runAxis]) runAxis--;
  const runLength = volumeOf(sizes.slice(Math.max(runAxis, 0)));
  const walk = (axis: number, offset: number): void => {
    const start = offset * (dims[axis] ?? 1) + (starts[axis] ?? 0);
    if (axis >= runAxis) return visit(start * volumeOf(dims.slice(axis + 1)), runLength);
    for (let step = 0; step < (sizes[axis] ?? 1); step++) walk(axis + 1, start + step);
  };
  walk(0, 0);
}

/** Below this many elements a loop is faster than making a view of them. */
const SHORT_RUN = 32;

function copyRun(source: TensorData, from: number, target: TensorData, to: number, length: number): void {
  if (length >= SHORT_RUN && "subarray" in source) {
    setElements(target, source.subarray(from, from + length), to);
    return;
  }
  const elements = writable(target);
  for (let index = 0; index < length; index++) elements[to + index] = source[from + index];
}
