import { asError, FramebatchError } from "@framebatch/batcher/errors/errors.js";
import type { Extent } from "../padding/extents.js";
import { DATA_STARTS } from "../padding/options.js";
import type { RowSizes } from "./sent-rows.js";
import { type InputPlan, dimsFor } from "./input-plan.js";
import { volumeOf } from "@framebatch/batcher/queue/shape.js";
import { type Region, fillRegion, piecesOf, writeRegion, writeRow } from "../tensor/region.js";
import { writable } from "../tensor/writing.js";
import type { Tensor, TensorData } from "../tensor/tensor.js";

/** One input of a batch during stacking. */
export interface StackedInput {
  readonly plan: InputPlan;
  /** The elements of each row; `null` for a mask that is filled. */
  readonly entries: readonly (TensorData | null)[];
  readonly extents: readonly Extent[];
  /** The sizes that every row is padded to, in the order of `extents`. */
  readonly targets: readonly number[];
}

/**
 * Returns a tensor of `paddedSize` rows in new memory. Missing rows repeat the last row.
 * @throws OUT_OF_MEMORY when there is no memory for it. Parts of the batch may fit.
 */
export function stackInput(input: StackedInput, rows: readonly RowSizes[], paddedSize: number): Tensor {
  const { plan, entries, targets } = input;
  const rowDims = dimsFor(plan, targets);
  const dims = plan.batchAxis === null ? rowDims : rowDims.toSpliced(plan.batchAxis, 0, paddedSize);
  const rowLength = volumeOf(rowDims);
  const count = plan.batchAxis === null ? 1 : paddedSize;
  const data = filledData(plan, rowLength * count);
  const pieces = plan.batchAxis === null ? { rows: 1, pieces: 1, length: rowLength } : piecesOf(dims, plan.batchAxis);
  for (let position = 0; position < count; position++) {
    const row = Math.min(position, entries.length - 1);
    const source = entries[row] ?? null;
    // A row of full length has full size along each axis, because no row is longer than its target.
    if (source !== null && source.length === rowLength) writeRow(data, pieces, position, source);
    else writeOrFill(data, rowRegion(input, dims, rows[row]!, position), source, plan);
  }
  return { type: plan.element.type, dims, data };
}

function filledData(plan: InputPlan, length: number): TensorData {
  const data = allocated(plan, length);
  const { padValue } = plan;
  if (padValue === undefined) return data;
  const target = writable(data);
  for (let index = 0; index < length; index++) target[index] = padValue;
  return data;
}

function allocated({ element, name }: InputPlan, length: number): TensorData {
  try {
    return element.create(length);
  } catch (cause) {
    const message = `input "${name}": expected memory for a batch of ${length} elements, got a failure (${asError(cause).message}); lower maxBatchSize, or ask for items of similar sizes`;
    throw new FramebatchError("OUT_OF_MEMORY", message, { cause, details: { input: name } });
  }
}

function writeOrFill(data: TensorData, region: Region, source: TensorData | null, { maskValue }: InputPlan): void {
  if (source === null) fillRegion(data, region, maskValue);
  else writeRegion(data, region, source);
}

function rowRegion(
  { plan, extents, targets }: StackedInput,
  dims: readonly number[],
  row: RowSizes,
  position: number,
): Region {
  const sizes = dimsFor(plan, row.sizes);
  const starts = sizes.map((size, axis) => {
    const place = plan.extentOf[axis] ?? -1;
    const extent = extents[place];
    return extent === undefined ? 0 : DATA_STARTS[extent.side](targets[place] ?? size, size);
  });
  if (plan.batchAxis === null) return { dims, starts, sizes };
  return { dims, starts: starts.toSpliced(plan.batchAxis, 0, position), sizes: sizes.toSpliced(plan.batchAxis, 0, 1) };
}
