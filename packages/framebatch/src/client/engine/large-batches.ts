import type { WorkerClient } from "../workers/worker-client.js";
import type { PreparedItem, RowContent } from "../../core/collate/prepared-item.js";
import { lendableBuffers, ownsBuffer } from "../../core/collate/transfer-list.js";
import { FramebatchError } from "../../core/errors.js";
import type { Tensor, TensorData } from "../../core/tensor/tensor.js";

/** From here on the worker stacks and splits, in bytes: copying as much takes a page a millisecond or so. */
const LARGE_BATCH_BYTES = 2 ** 20;

/** Below this a row is copied faster than it is lent, in bytes. */
const LARGE_ROW_BYTES = 2 ** 16;

/** Whether so many rows of so many bytes each are better copied on another thread. */
export function isLarge(rows: number, bytes: number): boolean {
  return bytes >= LARGE_BATCH_BYTES && bytes >= rows * LARGE_ROW_BYTES;
}

/** What stacking these rows copies, padding left out, in bytes. */
export function bytesOfRows(rows: readonly PreparedItem[]): number {
  let bytes = 0;
  for (const { data } of rows) for (const elements of data) bytes += bytesOf(elements);
  return bytes;
}

export function bytesOfTensors(tensors: Readonly<Record<string, Tensor>>): number {
  return Object.values(tensors).reduce((sum, { data }) => sum + bytesOf(data), 0);
}

/** Strings are taken to be small. */
function bytesOf(data: TensorData | null): number {
  return data !== null && "byteLength" in data ? data.byteLength : 0;
}

/** A batch as the batcher made it. */
interface LargeBatch {
  readonly items: readonly PreparedItem[];
  readonly paddedSize: number;
  readonly extents: readonly number[];
}

/** One array of one row that is lent. */
interface LentArray {
  readonly row: number;
  readonly input: number;
}

/**
 * Lends the rows of a batch to a worker, which stacks them and gives them back before it runs: this thread copies nothing,
 * and what a run takes down with it can be run again. Only a worker that hears nothing any more keeps them for good.
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

  /** @throws what ended the worker; `WORKER_CRASHED` where an earlier one has kept the rows. */
  async stackOn(client: Pick<WorkerClient, "stack">): Promise<"stacked"> {
    const { items, paddedSize, extents } = this.#batch;
    if (this.#lent.some(({ row, input }) => !ownsBuffer(items[row]?.data[input] ?? null))) throw lostWithWorker();
    const { rows } = await client.stack({ rows: items.map(sent), paddedSize, extents }, lendableBuffers(items));
    for (const { row, input } of this.#lent) items[row]!.data[input] = rows[row]?.data[input] ?? null;
    return "stacked";
  }
}

/** Small arrays lie in memory that they share with those of other rows, and are sent as copies. */
function sent({ data, sizes }: PreparedItem): RowContent {
  return {
    sizes,
    data: data.map((elements) => (elements === null || ownsBuffer(elements) ? elements : elements.slice())),
  };
}

function lostWithWorker(): FramebatchError {
  return new FramebatchError(
    "WORKER_CRASHED",
    "the worker stopped answering while it held a batch's inputs, which are lost with it; predict again with inputs made anew",
  );
}
