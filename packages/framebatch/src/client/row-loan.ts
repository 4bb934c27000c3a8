import { FramebatchError } from "../core/errors.js";
import type { Row, RowContent } from "../core/row.js";
import { lendableBuffers, ownsBuffer } from "../core/transfer-list.js";
import type { WorkerHandle } from "./worker-handle.js";

/** A batch as the batcher made it. */
interface LargeBatch {
  readonly items: readonly Row[];
  readonly paddedSize: number;
  readonly extents: readonly number[];
}

/** One array of one row that is lent. */
interface Place {
  readonly row: number;
  readonly input: number;
}

/**
 * Lends the rows of a batch to a worker, which stacks them and gives them back before it runs: this thread copies nothing,
 * and what a run takes down with it can be run again. Only a worker that hears nothing any more keeps them for good.
 */
export class RowLoan {
  readonly #batch: LargeBatch;
  readonly #lent: readonly Place[];

  constructor(batch: LargeBatch) {
    this.#batch = batch;
    this.#lent = batch.items.flatMap(({ data }, row) =>
      [...data.keys()].filter((input) => ownsBuffer(data[input] ?? null)).map((input) => ({ row, input })),
    );
  }

  /** @throws what ended the worker; `WORKER_CRASHED` where an earlier one has kept the rows. */
  async stackOn(handle: Pick<WorkerHandle, "stack">): Promise<"stacked"> {
    const { items, paddedSize, extents } = this.#batch;
    if (this.#lent.some(({ row, input }) => !ownsBuffer(items[row]?.data[input] ?? null))) throw lostWithWorker();
    const { rows } = await handle.stack({ rows: items.map(sent), paddedSize, extents }, lendableBuffers(items));
    for (const { row, input } of this.#lent) items[row]!.data[input] = rows[row]?.data[input] ?? null;
    return "stacked";
  }
}

/** Small arrays lie in memory that they share with those of other rows, and are sent as copies. */
function sent({ data, sizes }: Row): RowContent {
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
