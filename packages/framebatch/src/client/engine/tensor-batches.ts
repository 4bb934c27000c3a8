import type { Collator } from "../../core/collate/collator.js";
import type { PreparedItem } from "../../core/collate/prepared-item.js";
import type { Batch } from "../../core/engine/engine.js";
import { asError } from "../../core/errors.js";
import type { Outputs, Tensor } from "../../core/tensor/tensor.js";
import type { FailedRun, Success } from "../workers/worker-client.js";
import { RowLoan, bytesOfRows, bytesOfTensors, checkWhole, isLarge } from "./large-batches.js";
import type { PreparedBatch } from "./model-engine.js";

type Stacked = { readonly ok: true; readonly feeds: Readonly<Record<string, Tensor>> } | FailedRun;

/** Stacks the items of batches, and splits the outputs. Leaves both to the worker if a batch is large. */
export class TensorBatches {
  readonly #collator: Collator;
  /** Size of the outputs of one row, in bytes, measured in the last batch that the page split. */
  #outputBytesPerRow = 0;

  constructor(collator: Collator) {
    this.#collator = collator;
  }

  prepare(batch: Batch<PreparedItem>): PreparedBatch<Outputs, Success> {
    const loan = this.#isLarge(batch) ? new RowLoan(batch) : null;
    // A run that may have ended a worker is repeated without rows of other pages, and they without its rows.
    let mayMerge = !batch.isAlone && batch.reason !== "retry";
    return {
      isExclusive: loan !== null,
      // No await without a loan: the worker then receives the batch in the same turn of the event loop.
      runOn: (client, run) => {
        if (loan !== null) return loan.stackOn(client).then((feeds) => client.run({ feeds }, run));
        checkWhole(batch.items);
        const stacked = this.#stacked(batch);
        if (!stacked.ok) return Promise.resolve(stacked);
        const request = { feeds: stacked.feeds, mayMerge };
        mayMerge = false;
        return client.run(request, run);
      },
      resultsOf: (reply) => ("results" in reply ? reply.results : this.#split(batch, reply.outputs)),
    };
  }

  /** A batch that the page cannot stack has failed as one that the worker cannot run: parts of it may run. */
  #stacked({ items, paddedSize, extents }: Batch<PreparedItem>): Stacked {
    try {
      return { ok: true, feeds: this.#collator.stack(items, paddedSize, extents) };
    } catch (error) {
      return { ok: false, error: asError(error) };
    }
  }

  #isLarge({ items, paddedSize }: Batch<PreparedItem>): boolean {
    return isLarge(items.length, bytesOfRows(items)) || isLarge(paddedSize, paddedSize * this.#outputBytesPerRow);
  }

  #split({ items, paddedSize, extents }: Batch<PreparedItem>, outputs: Outputs): readonly Outputs[] {
    this.#outputBytesPerRow = bytesOfTensors(outputs) / paddedSize;
    const results = this.#collator.split(items, outputs, paddedSize, extents);
    // The buffers can be reused: a batch that has results never runs again.
    this.#collator.release(items);
    return results;
  }
}
