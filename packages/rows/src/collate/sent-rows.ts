import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { volumeOf } from "@framebatch/batcher/queue/shape.js";
import { setOwn, type Tensor, type TensorData } from "../tensor/tensor.js";
import { setElements } from "../tensor/writing.js";
import { dimsFor, type InputPlan } from "./input-plan.js";
import type { RowContent } from "./prepared-item.js";

/** Elements that have a buffer. */
export type TypedData = Exclude<TensorData, readonly string[]>;

/**
 * One input of several rows. Small rows are packed: their elements stand one after the other in one array. Of large
 * rows, and of strings and masks, each has its own entry; `null` for a mask that is filled later.
 */
export type Column = TypedData | readonly (TensorData | null)[];

/** Rows in a message, input by input. */
export interface SentRows {
  /** Number of rows, at least 1. */
  readonly count: number;
  /** The sizes of every row, see `RowContent`: those of the first one first. */
  readonly sizes: readonly number[];
  /** In the order of the signature. */
  readonly columns: readonly Column[];
}

/** Minimum average size of rows that are not packed, in bytes: a smaller row takes less time to copy than to send. */
export const LARGE_ROW_BYTES = 2 ** 16;

/** Whether rows are so large, on average, that each is sent in an array of its own. */
export function areLarge(rows: number, bytes: number): boolean {
  return bytes >= rows * LARGE_ROW_BYTES;
}

/** Rows that are ready for a message, unless some have entries of their own. */
export interface PackedRows {
  readonly rows: SentRows;
  /**
   * The buffers to transfer if every input is packed; otherwise `null`: the entries are the memory of the rows
   * themselves.
   */
  readonly transfer: ArrayBuffer[] | null;
}

/** Packs rows. Copies small ones, and shares the memory of large ones, of strings and of masks. */
export function packRows(plans: readonly InputPlan[], rows: readonly RowContent[]): PackedRows {
  const columns: Column[] = [];
  let transfer: ArrayBuffer[] | null = [];
  for (let input = 0; input < plans.length; input += 1) {
    const only = rows.length === 1 ? (rows[0]!.data[input] ?? null) : null;
    const isSmall = only !== null && "buffer" in only && only.byteLength < LARGE_ROW_BYTES;
    const column = isSmall ? only.slice() : packColumn(plans[input]!, rows, input);
    columns.push(column);
    if (!("buffer" in column)) transfer = null;
    else if (column.byteLength >= TRANSFERRED_BYTES && isUnshared(column.buffer)) transfer?.push(column.buffer);
  }
  const hasSizes = rows[0] !== undefined && rows[0].sizes.length > 0;
  return { rows: { count: rows.length, sizes: hasSizes ? rows.flatMap(({ sizes }) => sizes) : [], columns }, transfer };
}

function packColumn(plan: InputPlan, rows: readonly RowContent[], input: number): Column {
  let [length, bytes] = [0, 0];
  for (const { data } of rows) {
    const elements = data[input] ?? null;
    if (!isTyped(elements)) return entries(rows, input);
    length += elements.length;
    bytes += elements.byteLength;
  }
  const column = areLarge(rows.length, bytes) ? null : plan.element.create(length);
  if (column === null || !isTyped(column)) return entries(rows, input);
  let start = 0;
  for (const { data } of rows) {
    const elements = data[input]!;
    setElements(column, elements, start);
    start += elements.length;
  }
  return column;
}

function entries(rows: readonly RowContent[], input: number): (TensorData | null)[] {
  return rows.map(({ data }) => data[input] ?? null);
}

/** The sizes of a row, see `RowContent`. */
export type RowSizes = Pick<RowContent, "sizes">;

const UNSIZED: RowSizes = Object.freeze({ sizes: [] });

/** The number of rows, and their sizes. */
export type SentSizes = Pick<SentRows, "count" | "sizes">;

/** Returns the sizes of each row. */
export function sizesOfRows({ count, sizes }: SentSizes): RowSizes[] {
  if (sizes.length === 0) return Array.from({ length: count }, () => UNSIZED);
  const width = sizes.length / count;
  return Array.from({ length: count }, (_, row) => ({ sizes: sizes.slice(row * width, (row + 1) * width) }));
}

/** Returns the entry of each row in a column, which shares the memory of that. */
export function entriesOf(plan: InputPlan, column: Column, rows: readonly RowSizes[]): readonly (TensorData | null)[] {
  if (!isPacked(column)) return column;
  let end = 0;
  return rows.map(({ sizes }) => {
    const start = end;
    end += volumeOf(dimsFor(plan, sizes));
    return column.subarray(start, end);
  });
}

/**
 * Minimum size of a buffer that is transferred, in bytes. In Chromium, a smaller one takes up to 10 µs longer to
 * transfer than to copy, at each end.
 */
const TRANSFERRED_BYTES = 1024;

/** Returns the buffers to transfer with rows, without duplicates. Those of strings, and small ones, are copied. */
export function buffersIn({ columns }: Pick<SentRows, "columns">): ArrayBuffer[] {
  const buffers = new Set<ArrayBuffer>();
  for (const column of columns)
    for (const data of "buffer" in column ? [column] : column) {
      if (data === null || !("buffer" in data) || data.buffer.byteLength < TRANSFERRED_BYTES) continue;
      if (isUnshared(data.buffer)) buffers.add(data.buffer);
    }
  return [...buffers];
}

/** Whether memory is not shared. Compares names, because an array can come from another realm, such as a frame. */
export function isUnshared(buffer: ArrayBufferLike): buffer is ArrayBuffer {
  return buffer[Symbol.toStringTag] === "ArrayBuffer";
}

/** Whether the elements fill their whole buffer. */
export function ownsBuffer(data: TensorData | null): data is TypedData & { readonly buffer: ArrayBuffer } {
  if (data === null || !("buffer" in data) || !isUnshared(data.buffer)) return false;
  return data.byteLength > 0 && data.byteLength === data.buffer.byteLength;
}

/** Whether the memory of an array was transferred, so that its elements are gone. */
export function isDetached(elements: ArrayLike<unknown>): boolean {
  if (elements.length > 0 || !ArrayBuffer.isView(elements)) return false;
  try {
    // Creating a view of a detached buffer throws in old and new engines alike.
    return new Uint8Array(elements.buffer).length < 0;
  } catch {
    return true;
  }
}

/** Whether the rows of an input are packed. */
export function isPacked(column: Column): column is TypedData {
  return "buffer" in column;
}

/** Whether elements have a buffer. */
export function isTyped(data: Column | TensorData | null): data is TypedData {
  return data !== null && "buffer" in data;
}

/**
 * One output of several rows: one tensor whose first axis counts the rows; or, of large or trimmed rows, a tensor for
 * each.
 */
export type RowTensors = Tensor | readonly Tensor[];

/** The outputs of several rows, by name. */
export type AnsweredRows = Readonly<Record<string, RowTensors>>;

/**
 * Returns the outputs of each row, by name, in memory of their own.
 * @throws INFERENCE_FAILED when there are not as many as rows
 */
export function answersOf(outputs: AnsweredRows, count: number): Record<string, Tensor>[] {
  const answers: Record<string, Tensor>[] = [];
  while (answers.length < count) answers.push({});
  for (const name of Object.keys(outputs)) {
    const rows = outputs[name]!;
    const got = "data" in rows ? rows.dims[0] : rows.length;
    if (got !== count)
      throw new FramebatchError("INFERENCE_FAILED", `output "${name}": expected ${count} rows, got ${got}`);
    const tensors = tensorsOf(rows, count);
    for (let row = 0; row < count; row += 1) setOwn(answers[row]!, name, tensors[row]!);
  }
  return answers;
}

/** Returns the tensor of each row, in memory of its own. */
export function tensorsOf(rows: RowTensors, count: number): readonly Tensor[] {
  if (!("data" in rows)) return rows;
  const { type, dims, data } = rows;
  const rowDims = Object.freeze(dims.slice(1));
  if (count === 1 && ownsBuffer(data)) return [{ type, dims: rowDims, data }];
  const length = volumeOf(rowDims);
  const tensors: Tensor[] = [];
  for (let row = 0; row < count; row++) {
    tensors.push({ type, dims: rowDims, data: data.slice(row * length, (row + 1) * length) });
  }
  return tensors;
}

/** Returns the buffers to transfer with outputs, see `buffersIn`. */
export function transferList(outputs: AnsweredRows): ArrayBuffer[] {
  const columns: Column[] = [];
  for (const name of Object.keys(outputs)) {
    const rows = outputs[name]!;
    if (!("data" in rows)) columns.push(rows.map(({ data }) => data));
    else if ("buffer" in rows.data && rows.data.buffer.byteLength >= TRANSFERRED_BYTES) columns.push(rows.data);
  }
  return columns.length === 0 ? [] : buffersIn({ columns });
}
