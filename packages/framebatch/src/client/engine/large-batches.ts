import type { WorkerClient } from "../workers/worker-client.js";
import type { PreparedItem, RowContent } from "../../core/collate/prepared-item.js";
import { isDetached, lendableBuffers, ownsBuffer } from "../../core/collate/transfer-list.js";
import { FramebatchError } from "../../core/errors.js";
import type { Tensor, TensorData } from "../../core/tensor/tensor.js";

/** Minimum size of a batch that the worker stacks and splits, in bytes: the page takes about 1 ms to copy as much. */
const LARGE_BATCH_BYTES = 2 ** 20;

/** Minimum average size of its rows, in bytes: a smaller row takes less time to copy than to lend. */
const LARGE_ROW_BYTES = 2 ** 16;

/**
 * Returns true if the worker, not the page's thread, should stack or split a batch.
 * @param rows number of rows
 * @param bytes size of all rows together, in bytes
 */
export function isLarge(rows: number, bytes: number): boolean {
  return bytes >= LARGE_BATCH_BYTES && bytes >= rows * LARGE_ROW_BYTES;
}

/** Returns how much data stacking these rows copies, without padding, in bytes. */
export function bytesOfRows(rows: readonly PreparedItem[]): number {
  let bytes = 0;
  for (const { data } of rows) for (const elements of data) bytes += bytesOf(elements);
  return bytes;
}

/** Returns the size of the tensors' data, in bytes. Strings count as 0. */
export function bytesOfTensors(tensors: Readonly<Record<string, Tensor>>): number {
  return Object.values(tensors).reduce((sum, { data }) => sum + bytesOf(data), 0);
}

/** Returns 0 for strings, which are assumed to be small. */
function bytesOf(data: TensorData | null): number {
  return data !== null && "byteLength" in data ? data.byteLength : 0;
}

/** The part of a batch that stacking needs. */
interface LargeBatch {
  readonly items: readonly PreparedItem[];
  readonly paddedSize: number;
  readonly extents: readonly number[];
}

/** One lent array: its row and its input, by index. */
interface LentArray {
  readonly row: number;
  readonly input: number;
}

/**
 * Lends the rows of a batch to a worker, which stacks them and returns them before it runs the batch. This thread
 * copies no large array, and a batch whose run ends the worker can run again. The rows are lost only with a worker that
 * stops answering while it holds them.
 */
export class RowLoan {
  readonly #batch: LargeBatch;
  readonly #lent: readonly LentArray[];

  constructor(batch: LargeBatch) {
    this.#batch = batch;
    this.#lent = batch.items.flatMap(({ data }, row) =>
      [...data.keys()].filter((input) => ownsBuffer(data[input] ?? null)).map((input) => ({ row, input })),
    );
  }

  /**
   * Stacks the rows in the worker. The rows must not be read until the call resolves.
   * @throws what ended the worker; WORKER_CRASHED when an earlier worker has not returned the rows
   */
  async stackOn(client: Pick<WorkerClient, "stack">): Promise<"stacked"> {
    const { items, paddedSize, extents } = this.#batch;
    checkWhole(items);
    const { rows } = await client.stack({ rows: items.map(sent), paddedSize, extents }, lendableBuffers(items));
    for (const { row, input } of this.#lent) items[row]!.data[input] = rows[row]?.data[input] ?? null;
    return "stacked";
  }
}

/** Returns a row for sending. Copies small arrays, because they share a buffer with those of other rows. */
function sent({ data, sizes }: PreparedItem): RowContent {
  return {
    sizes,
    data: data.map((elements) => (elements === null || ownsBuffer(elements) ? elements : elements.slice())),
  };
}

/** @throws WORKER_CRASHED when a row is lost with an earlier worker */
export function checkWhole(rows: readonly RowContent[]): void {
  for (const row of rows) {
    const loss = lossOf(row);
    if (loss !== null) throw loss;
  }
}

/** Returns why no engine can run a row any more, `null` for one whose memory is here. */
export function lossOf({ data }: RowContent): FramebatchError | null {
  if (!data.some((elements) => elements !== null && isDetached(elements))) return null;
  return new FramebatchError(
    "WORKER_CRASHED",
    "the worker stopped answering while it held a batch's inputs, which are lost with it; predict again with inputs made anew",
  );
}
