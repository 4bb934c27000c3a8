import { FramebatchError } from "./errors.js";
import type { Extent } from "./padding-extents.js";
import type { Row } from "./row.js";
import { describeDims, describeValue } from "./tensor-description.js";
import { volumeOf } from "./item-volume.js";
import { readRegion } from "./tensor-region.js";
import type { Tensor, TensorInfo } from "./tensor.js";

/** An axis of an output that was padded along with the inputs, and is cut back to each item's own size. */
export interface TrimmedAxis {
  readonly axis: number;
  /** Its place in `PaddingPlan.extents`. */
  readonly index: number;
  readonly extent: Extent;
}

/** What splitting one output needs to know, worked out once. */
export interface OutputPlan {
  readonly info: TensorInfo;
  readonly trimmed: readonly TrimmedAxis[];
}

/** Which axes of an output carry the name of a padded size. */
export function planOutput(
  info: TensorInfo,
  extents: readonly Extent[],
  extentBySymbol: ReadonlyMap<string, number>,
): OutputPlan {
  const trimmed = info.symbols.flatMap((symbol, axis) => {
    const index = symbol === null ? undefined : extentBySymbol.get(symbol);
    const extent = index === undefined ? undefined : extents[index];
    if (index === undefined || !extent?.isPadded || axis === info.batchAxis) return [];
    return [{ axis, index, extent }];
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
  rows: readonly Row[],
  paddedSize: number,
  targets: readonly number[],
): Tensor[] {
  const tensor = checkOutput(plan, output, paddedSize, targets);
  const isPadded = plan.trimmed.some(({ index }) => rows.some((row) => row.sizes[index] !== targets[index]));
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
  rows: readonly Row[],
  targets: readonly number[],
): Tensor[] {
  const { batchAxis } = info;
  return rows.map((row, position) => {
    const starts = dims.map(() => 0);
    const sizes = [...dims];
    for (const { axis, index, extent } of trimmed) {
      const size = row.sizes[index] ?? 0;
      sizes[axis] = size;
      if (extent.side === "left") starts[axis] = (targets[index] ?? size) - size;
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
  for (const { axis, index, extent } of trimmed) {
    if (dims[axis] === targets[index]) continue;
    const expected = `size ${targets[index]} for "${extent.symbol}", as in the inputs`;
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
