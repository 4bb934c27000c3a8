import { FramebatchError } from "../errors.js";
import type { Extent } from "../padding/extents.js";
import type { RowContent } from "./prepared-item.js";
import { describeDims, describeValue } from "../tensor/description.js";
import { volumeOf } from "../shape.js";
import { readSizeExpression, type SizeExpression } from "../padding/size-expression.js";
import { readRegion } from "../tensor/region.js";
import type { Tensor, TensorInfo } from "../tensor/tensor.js";

/** An axis of an output that was padded along with the inputs, and is cut back to what each item's own sizes make of it. */
export interface TrimmedAxis {
  readonly axis: number;
  readonly name: string;
  readonly side: Extent["side"];
  /** In terms of `PaddingPlan.extents`. */
  readonly size: SizeExpression;
}

/** What splitting one output needs to know, worked out once. */
export interface OutputPlan {
  readonly info: TensorInfo;
  readonly trimmed: readonly TrimmedAxis[];
}

/**
 * Which axes of an output carry the name of a padded size, or a name that says how they follow from one. An axis whose name
 * does not tell is left as it is: that it has the size of the padding in one batch proves nothing for the next.
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
  return { info, trimmed };
}

/**
 * Cuts one output of a batch into a tensor for each row, each in memory of its own.
 * @throws `INFERENCE_FAILED` where it has not one entry per row, or not the size that its inputs were padded to.
 */
export function splitOutput(
  plan: OutputPlan,
  output: Tensor | undefined,
  rows: readonly RowContent[],
  paddedSize: number,
  targets: readonly number[],
): Tensor[] {
  const tensor = checkOutput(plan, output, paddedSize, targets);
  const isPadded = plan.trimmed.some(({ size: { indices } }) =>
    indices.some((index) => rows.some((row) => row.sizes[index] !== targets[index])),
  );
  if (isPadded || plan.info.batchAxis !== 0) return splitRegions(plan, tensor, rows, targets);
  return splitLeading(tensor, rows.length);
}

/** The hot path: rows lie one after the other, and all of each is wanted. */
function splitLeading({ type, dims, data }: Tensor, count: number): Tensor[] {
  const rowDims = Object.freeze(dims.slice(1));
  const length = volumeOf(rowDims);
  const split: Tensor[] = [];
  for (let row = 0; row < count; row++) {
    split.push({ type, dims: rowDims, data: data.slice(row * length, (row + 1) * length) });
  }
  return split;
}

function splitRegions(
  { info, trimmed }: OutputPlan,
  { type, dims, data }: Tensor,
  rows: readonly RowContent[],
  targets: readonly number[],
): Tensor[] {
  const { batchAxis } = info;
  return rows.map((row, position) => {
    const starts = dims.map(() => 0);
    const sizes = [...dims];
    for (const { axis, side, size } of trimmed) {
      const own = Math.min(size.valueOf(row.sizes), size.valueOf(targets));
      sizes[axis] = own;
      if (side === "left") starts[axis] = size.valueOf(targets) - own;
    }
    if (batchAxis !== null) [starts[batchAxis], sizes[batchAxis]] = [position, 1];
    const rowDims = batchAxis === null ? sizes : sizes.toSpliced(batchAxis, 1);
    return { type, dims: Object.freeze(rowDims), data: readRegion(data, { dims, starts, sizes }) };
  });
}

function checkOutput(
  { info, trimmed }: OutputPlan,
  output: Tensor | undefined,
  paddedSize: number,
  targets: readonly number[],
): Tensor {
  if (output === undefined) throw failure(info.name, "a tensor", "nothing", "the model did not compute it");
  const { dims, data } = output;
  const { batchAxis } = info;
  if (batchAxis !== null && dims[batchAxis] !== paddedSize) {
    const expected = `${paddedSize} rows on axis ${batchAxis}`;
    throw failure(info.name, expected, describeDims(dims), "say which axis is the batch in batchAxis");
  }
  for (const { axis, name, size } of trimmed) {
    if (dims[axis] === size.valueOf(targets)) continue;
    const expected = `size ${size.valueOf(targets)} for "${name}" on axis ${axis}, by the sizes of the inputs`;
    throw failure(info.name, expected, describeDims(dims), "the model's dimension names are wrong: remove padding");
  }
  if (data.length !== volumeOf(dims)) {
    throw failure(
      info.name,
      `${volumeOf(dims)} elements for dims ${describeDims(dims)}`,
      describeValue(data),
      "run it again",
    );
  }
  return output;
}

function failure(output: string, expected: string, got: string, hint: string): FramebatchError {
  return new FramebatchError("INFERENCE_FAILED", `output "${output}": expected ${expected}, got ${got}; ${hint}`, {
    details: { output },
  });
}
