import {
  type AnsweredRows,
  answersOf,
  areLarge,
  type Column,
  entriesOf,
  isPacked,
  isTyped,
  LARGE_ROW_BYTES,
  type RowSizes,
  type RowTensors,
  type SentRows,
  type SentSizes,
  sizesOfRows,
  tensorsOf,
} from "./sent-rows.js";
import { type OutputPlan, planOutput, splitOutput } from "./split.js";
import type { ElementCheck } from "./input-range.js";
import type { ModelSignature } from "../model/signature.js";
import type { PaddingPlan } from "../padding/padding-plan.js";
import type { PreparedItem, RowContent } from "./prepared-item.js";
import { InputReader } from "./input-reader.js";
import { dimsFor, type InputPlan, planInputs } from "./input-plan.js";
import { volumeOf } from "@framebatch/batcher/queue/shape.js";
import type { MoveBuffer } from "./input-snapshot.js";
import { setOwn, type Tensor, type TensorData } from "../tensor/tensor.js";
import { asError, FramebatchError } from "@framebatch/batcher/errors/errors.js";
import type { Extent } from "../padding/extents.js";
import { DATA_STARTS } from "../padding/padding-options.js";
import { type Region, fillRegion, piecesOf, writeRegion, writeRow } from "../tensor/region.js";
import { writable } from "../tensor/writing.js";

/**
 * Collates items into the feeds of a run, and splits its outputs into one result per item. Keeps no items: everything
 * that it returns belongs to the caller.
 */
export class Collator {
  readonly #padding: PaddingPlan;
  readonly #inputs: readonly InputPlan[];
  readonly #outputs: readonly OutputPlan[];
  /** Checks and copies items. */
  readonly reader: InputReader;

  /** @param checks see `planInputs` */
  constructor(signature: ModelSignature, padding: PaddingPlan, checks?: readonly (ElementCheck | null)[]) {
    const { extents, extentBySymbol } = padding;
    this.#padding = padding;
    this.#inputs = planInputs(signature, padding, checks);
    this.#outputs = signature.outputs.map((output) => planOutput(output, extents, extentBySymbol));
    this.reader = new InputReader(this.#inputs, padding);
  }

  /** See `InputReader`. */
  admit(item: unknown, move?: MoveBuffer): PreparedItem {
    return this.reader.admit(item, move);
  }

  /**
   * Returns the feeds of one run, in new memory that may be transferred. `rows` holds at least one row, and all rows
   * are of one group. `paddedSize` is at least their number, and `extents` are at least those of each row's shape. Rows
   * added to reach `paddedSize` repeat the last row, because the model is known to accept it.
   * @param isStacked whether an input is stacked elsewhere
   * @throws OUT_OF_MEMORY when there is no memory for the feeds
   */
  stack(
    rows: readonly RowContent[],
    paddedSize: number,
    extents: readonly number[],
    isStacked: (input: string) => boolean = () => false,
  ): Record<string, Tensor> {
    const feeds: Record<string, Tensor> = {};
    for (const [index, plan] of this.#inputs.entries()) {
      if (isStacked(plan.name)) continue;
      const entries = rows.map(({ data }) => data[index] ?? null);
      const input = { plan, entries, extents: this.#padding.extents, targets: extents };
      setOwn(feeds, plan.name, stackInput(input, rows, paddedSize));
    }
    return feeds;
  }

  /**
   * Returns the feeds of a run of rows from a message, as `stack` does. Packed rows that need no padding are not
   * copied.
   * @param isStacked whether an input is stacked elsewhere
   */
  stackSent(
    sent: SentRows,
    paddedSize: number,
    extents: readonly number[],
    isStacked?: (input: string) => boolean,
  ): Record<string, Tensor> {
    const feeds: Record<string, Tensor> = {};
    let rows: readonly RowSizes[] | null = null;
    for (let index = 0; index < this.#inputs.length; index += 1) {
      const plan = this.#inputs[index]!;
      if (isStacked?.(plan.name)) continue;
      const column = sent.columns[index] ?? [];
      let tensor = sent.count === paddedSize ? asTensor(plan, column, paddedSize, extents) : null;
      if (tensor === null) {
        rows ??= sizesOfRows(sent);
        const input = {
          plan,
          entries: entriesOf(plan, column, rows),
          extents: this.#padding.extents,
          targets: extents,
        };
        tensor = stackInput(input, rows, paddedSize);
      }
      setOwn(feeds, plan.name, tensor);
    }
    return feeds;
  }

  /**
   * Returns the outputs of each row, in the order of the rows, without padding. Each tensor has its own memory. `rows`,
   * `paddedSize` and `extents` must be those of `stack`.
   * @param isWanted whether an output is part of the answer
   * @throws INFERENCE_FAILED when an output is missing or its number of rows differs from the batch.
   */
  split(
    rows: readonly RowContent[],
    outputs: Readonly<Record<string, Tensor>>,
    paddedSize: number,
    extents: readonly number[],
    isWanted?: (output: string) => boolean,
  ): Record<string, Tensor>[] {
    const sizes = rows.flatMap((row) => row.sizes);
    return answersOf(this.answer({ count: rows.length, sizes }, outputs, paddedSize, extents, isWanted), rows.length);
  }

  /**
   * Returns the outputs of rows for a message, as `split` does. May share the memory of `outputs`, but not if rows are
   * large.
   * @param isWanted whether an output is part of the answer
   */
  answer(
    rows: SentSizes,
    outputs: Readonly<Record<string, Tensor>>,
    paddedSize: number,
    extents: readonly number[],
    isWanted?: (output: string) => boolean,
  ): AnsweredRows {
    const answered: Record<string, RowTensors> = {};
    for (const plan of this.#outputs) {
      const { name } = plan.info;
      if (isWanted?.(name) === false) continue;
      const output = Object.hasOwn(outputs, name) ? outputs[name] : undefined;
      const isSmall = plan.isPlain && rows.count === paddedSize && isSmallBatch(output, rows.count);
      setOwn(
        answered,
        name,
        isSmall ? output : withOwnMemory(splitOutput(plan, output, rows, paddedSize, extents), rows.count),
      );
    }
    return answered;
  }
}

/** Returns rows as the tensor of their run, without a copy; `null` if they must be placed in it one by one. */
function asTensor(plan: InputPlan, column: Column, rows: number, extents: readonly number[]): Tensor | null {
  const { batchAxis, element, fixedDims } = plan;
  if (batchAxis === 0 && fixedDims !== null && "buffer" in column && column.length === rows * plan.fixedLength)
    return { type: element.type, dims: [rows, ...fixedDims], data: column };
  if (batchAxis === null) return sharedTensor(plan, column, rows, extents);
  const data = isPacked(column) || rows > 1 ? column : (column[0] ?? null);
  if ((batchAxis > 0 && rows > 1) || !isTyped(data)) return null;
  const dims = dimsFor(plan, extents).toSpliced(batchAxis, 0, rows);
  // No row is longer than its target along any axis, so all are as long as that.
  return data.length === volumeOf(dims) ? { type: element.type, dims, data } : null;
}

/** Returns an input that all rows share as that of the first one; `null` if it must be padded. */
function sharedTensor(plan: InputPlan, column: Column, rows: number, extents: readonly number[]): Tensor | null {
  const dims = dimsFor(plan, extents);
  const length = volumeOf(dims);
  const first = isPacked(column) ? column.subarray(0, column.length / rows) : (column[0] ?? null);
  return isTyped(first) && first.length === length ? { type: plan.element.type, dims, data: first } : null;
}

/** Whether an output is one tensor of as many rows, all of them small: it can be sent as it is. */
function isSmallBatch(output: Tensor | undefined, rows: number): output is Tensor {
  if (output === undefined || !("buffer" in output.data) || output.dims[0] !== rows) return false;
  let length = 1;
  for (const size of output.dims) length *= size;
  return output.data.length === length && output.data.byteLength < rows * LARGE_ROW_BYTES;
}

/** Returns rows with memory of their own if they are large, so that the page need not copy them. */
function withOwnMemory(rows: RowTensors, count: number): RowTensors {
  if (!("data" in rows) || !("buffer" in rows.data) || !areLarge(count, rows.data.byteLength)) return rows;
  return tensorsOf(rows, count);
}

/** One input of a batch during stacking. */
interface StackedInput {
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
function stackInput(input: StackedInput, rows: readonly RowSizes[], paddedSize: number): Tensor {
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
