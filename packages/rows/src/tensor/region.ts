import { volumeOf } from "@framebatch/batcher/queue/shape.js";
import { setElements, writable } from "./writing.js";
import type { TensorData } from "./tensor.js";

/** A box within a row-major tensor: its start and its size along each axis. */
export interface Region {
  readonly dims: readonly number[];
  readonly starts: readonly number[];
  readonly sizes: readonly number[];
}

/** Writes `source`, which holds the region's elements in row-major order, into the tensor `target`. */
export function writeRegion(target: TensorData, region: Region, source: TensorData): void {
  let from = 0;
  forEachRun(region, (offset, length) => {
    copyRun(source, from, target, offset, length);
    from += length;
  });
}

/** How rows stand in a row-major tensor whose batch axis may be any: piece by piece, and within a piece row by row. */
export interface RowPieces {
  /** Number of rows. */
  readonly rows: number;
  /** Number of pieces of a row, and of elements of a piece. */
  readonly pieces: number;
  readonly length: number;
}

/** Returns how rows stand in a tensor. @param axis the batch axis */
export function piecesOf(dims: readonly number[], axis: number): RowPieces {
  return { rows: dims[axis] ?? 1, pieces: volumeOf(dims.slice(0, axis)), length: volumeOf(dims.slice(axis + 1)) };
}

/** Writes a whole row to its place in a tensor. */
export function writeRow(
  target: TensorData,
  { rows, pieces, length }: RowPieces,
  row: number,
  source: TensorData,
): void {
  for (let piece = 0; piece < pieces; piece++)
    copyRun(source, piece * length, target, (piece * rows + row) * length, length);
}

/** Returns a whole row of a tensor, in new memory. */
export function readRow(source: TensorData, { rows, pieces, length }: RowPieces, row: number): TensorData {
  if (pieces === 1) return source.slice(row * length, (row + 1) * length);
  // A slice of the right length creates an array of the same class. All of its elements are then overwritten.
  const target = source.slice(0, pieces * length);
  for (let piece = 0; piece < pieces; piece++)
    copyRun(source, (piece * rows + row) * length, target, piece * length, length);
  return target;
}

/** Sets each element of the region to `value`. */
export function fillRegion(target: TensorData, region: Region, value: unknown): void {
  const elements = writable(target);
  forEachRun(region, (offset, length) => {
    for (let index = offset; index < offset + length; index++) elements[index] = value;
  });
}

/** Returns the region's elements in row-major order, in new memory. */
export function readRegion(source: TensorData, region: Region): TensorData {
  const total = volumeOf(region.sizes);
  let target: TensorData | null = null;
  let to = 0;
  forEachRun(region, (offset, length) => {
    if (length === total) {
      target = source.slice(offset, offset + length);
      return;
    }
    // A slice of the right length creates an array of the same class. All of its elements are then overwritten.
    target ??= source.slice(0, total);
    copyRun(source, offset, target, to, length);
    to += length;
  });
  return target ?? source.slice(0, 0);
}

/**
 * Calls back for each run of contiguous elements, in row-major order. A run spans the trailing axes that the region
 * covers fully, and the axis before them. The function walks the remaining axes index by index.
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

/** For runs shorter than this many elements, a loop is faster than a view. */
const SHORT_RUN = 32;

function copyRun(source: TensorData, from: number, target: TensorData, to: number, length: number): void {
  if (length >= SHORT_RUN && "subarray" in source) {
    setElements(target, source.subarray(from, from + length), to);
    return;
  }
  const elements = writable(target);
  for (let index = 0; index < length; index++) elements[to + index] = source[from + index];
}
