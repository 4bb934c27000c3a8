import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import type { Extent } from "../padding/extents.js";
import { type RowTensors, type SentSizes, sizesOfRows } from "./sent-rows.js";
import { describeDims, describeValue } from "@framebatch/batcher/errors/description.js";
import { volumeOf } from "@framebatch/batcher/queue/shape.js";
import { DATA_STARTS } from "../padding/padding-options.js";
import { readSizeExpression, type SizeExpression } from "../padding/size-expression.js";
import { piecesOf, readRegion, readRow } from "../tensor/region.js";
import type { Tensor, TensorInfo } from "../tensor/tensor.js";

/**
 * An output axis that was padded with the inputs. It is trimmed to the size that follows from each item's own sizes.
 */
export interface TrimmedAxis {
  readonly axis: number;
  readonly name: string;
  readonly side: Extent["side"];
  /** Refers to `PaddingPlan.extents`. */
  readonly size: SizeExpression;
}

/** Precomputed data for splitting one output. */
export interface OutputPlan {
  readonly info: TensorInfo;
  readonly trimmed: readonly TrimmedAxis[];
  /** Whether every run gives one row for each of its rows, one after the other, of which nothing is trimmed. */
  readonly isPlain: boolean;
}

/**
 * Finds the output axes whose name is a padded size or an expression of one. Other axes are not trimmed: an axis that
 * has the padded size in one batch may not have it in the next.
 */
export function planOutput(
  info: TensorInfo,
  extents: readonly Extent[],
  extentBySymbol: ReadonlyMap<string, number>,
): OutputPlan {
  const trimmed = info.symbols.flatMap((name, axis) => {
    const size = name === null || axis === info.batchAxis ? null : readSizeExpression(name, extentBySymbol);
    if (name === null || size === null) return [];
    const padded = size.indices.map((index) => extents[index]).filter((extent) => extent?.isPadded);
    const [side, otherSide] = new Set(padded.map((extent) => extent?.side));
    return side === undefined || otherSide !== undefined ? [] : [{ axis, name, side, size }];
  });
  return { info, trimmed, isPlain: info.batchAxis === 0 && info.isFolded !== true && trimmed.length === 0 };
}

/**
 * Splits one output of a batch: trims it, and drops the rows of padding. Rows that need no trimming keep the memory of
 * the output.
 * @throws INFERENCE_FAILED when the output does not have one entry per row, or when its sizes do not follow from the
 * padded inputs.
 */
export function splitOutput(
  plan: OutputPlan,
  output: Tensor | undefined,
  rows: SentSizes,
  paddedSize: number,
  targets: readonly number[],
): RowTensors {
  const tensor = checkOutput(plan, output, paddedSize, targets);
  const { batchAxis, isFolded } = plan.info;
  if (batchAxis === null || isFolded === true || isPadded(plan, rows, targets))
    return splitRegions(plan, tensor, rows, paddedSize, targets);
  return batchAxis === 0 ? leadingRows(tensor, rows.count) : wholeRows(tensor, batchAxis, rows.count);
}

/** Whether a row has another size than its batch along an axis that is trimmed. */
function isPadded({ trimmed }: OutputPlan, sent: SentSizes, targets: readonly number[]): boolean {
  if (trimmed.length === 0) return false;
  const rows = sizesOfRows(sent);
  return trimmed.some(({ size: { indices } }) =>
    indices.some((index) => rows.some(({ sizes }) => sizes[index] !== targets[index])),
  );
}

/** Rows that are not contiguous, and of which nothing is trimmed. */
function wholeRows({ type, dims, data }: Tensor, axis: number, count: number): Tensor[] {
  const pieces = piecesOf(dims, axis);
  const rowDims = Object.freeze(dims.toSpliced(axis, 1));
  return Array.from({ length: count }, (_, row) => ({ type, dims: rowDims, data: readRow(data, pieces, row) }));
}

/** The fast path: rows are contiguous, and nothing is trimmed. */
function leadingRows(tensor: Tensor, count: number): Tensor {
  const { type, dims, data } = tensor;
  if (dims[0] === count) return tensor;
  const end = count * volumeOf(dims.slice(1));
  return { type, dims: dims.with(0, count), data: "subarray" in data ? data.subarray(0, end) : data.slice(0, end) };
}

function splitRegions(
  { info, trimmed }: OutputPlan,
  { type, dims, data }: Tensor,
  rows: SentSizes,
  paddedSize: number,
  targets: readonly number[],
): Tensor[] {
  const { batchAxis, isFolded } = info;
  const each = batchAxis === null ? 1 : (dims[batchAxis] ?? 1) / paddedSize;
  return sizesOfRows(rows).map((row, position) => {
    const starts = dims.map(() => 0);
    const sizes = [...dims];
    for (const { axis, side, size } of trimmed) {
      const own = Math.min(size.valueOf(row.sizes), size.valueOf(targets));
      sizes[axis] = own;
      starts[axis] = DATA_STARTS[side](size.valueOf(targets), own);
    }
    if (batchAxis !== null) [starts[batchAxis], sizes[batchAxis]] = [position * each, each];
    const rowDims = batchAxis === null || isFolded === true ? sizes : sizes.toSpliced(batchAxis, 1);
    return { type, dims: Object.freeze(rowDims), data: readRegion(data, { dims, starts, sizes }) };
  });
}

function checkOutput(
  { info, trimmed }: OutputPlan,
  output: Tensor | undefined,
  paddedSize: number,
  targets: readonly number[],
): Tensor {
  if (output === undefined) throw splitFailure(info.name, "a tensor", "nothing", "the model did not compute it");
  const { dims, data } = output;
  if (!hasRows(info, dims, paddedSize)) {
    const expected = `${paddedSize} rows on axis ${info.batchAxis}`;
    const hint = "say in batchAxis which axis counts the rows, or null if all items of a batch decide its size";
    throw splitFailure(info.name, expected, describeDims(dims), hint);
  }
  for (const { axis, name, size } of trimmed) {
    if (dims[axis] === size.valueOf(targets)) continue;
    const expected = `size ${size.valueOf(targets)} for "${name}" on axis ${axis}, by the sizes of the inputs`;
    throw splitFailure(
      info.name,
      expected,
      describeDims(dims),
      "the model's dimension names are wrong: remove padding",
    );
  }
  if (data.length !== volumeOf(dims)) {
    throw splitFailure(
      info.name,
      `${volumeOf(dims)} elements for dims ${describeDims(dims)}`,
      describeValue(data),
      "run it again",
    );
  }
  return output;
}

/** Whether an output has an entry for each row of its run; as many for each if it is folded. */
function hasRows({ batchAxis, isFolded }: TensorInfo, dims: readonly number[], paddedSize: number): boolean {
  if (batchAxis === null) return true;
  const size = dims[batchAxis];
  return isFolded === true ? size !== undefined && size % paddedSize === 0 : size === paddedSize;
}

function splitFailure(output: string, expected: string, got: string, hint: string): FramebatchError {
  return new FramebatchError("INFERENCE_FAILED", `output "${output}": expected ${expected}, got ${got}; ${hint}`, {
    details: { output },
  });
}
