import type { PreparedItem } from "@framebatch/rows/collate/prepared-item.js";
import type { ModelSignature } from "@framebatch/rows/model/signature.js";
import type { Batch } from "@framebatch/batcher/engine/engine.js";
import { keptTensorLost } from "@framebatch/rows/tensor/kept-tensor-lost.js";
import type { Outputs } from "@framebatch/rows/tensor/tensor.js";
import { isHere } from "../engine/lost-rows.js";
import type { PreparedBatch } from "../engine/model-engine.js";
import type { RowBatches, RowClient } from "../engine/row-batches.js";
import type { PendingRun, RunResult } from "../workers/run.js";
import type { WorkerClient } from "../workers/worker-client.js";
import { KeptAttempt } from "./kept-attempt.js";
import { KeptRow } from "./kept-row.js";
import { KeptSizes } from "./kept-sizes.js";
import type { KeptTensors } from "./kept-tensors.js";

/** The part of a worker that runs rows and keeps tensors. */
type KeepingClient = RowClient & Pick<WorkerClient, "hasEnded" | "notify">;

/** A batch that is ready to be sent to a worker that keeps tensors. */
export interface PreparedKept extends PreparedBatch<Outputs> {
  readonly runOn: (client: KeepingClient, run: PendingRun) => Promise<RunResult>;
}

/** Whether an attempt at a batch sends a row: not if a tensor that it reads is lost. */
export function isSent(row: PreparedItem): boolean {
  return isHere(row) && (!(row instanceof KeptRow) || row.isSent);
}

/** Hands batches with rows that read or keep tensors to workers. */
export class KeptBatches {
  readonly #rows: RowBatches;
  readonly #tensors: KeptTensors;
  readonly #sizes: KeptSizes;

  /** @param rows sends the rows for which `isSent` says so */
  constructor(rows: RowBatches, tensors: KeptTensors, signature: Pick<ModelSignature, "outputs">) {
    this.#rows = rows;
    this.#tensors = tensors;
    this.#sizes = new KeptSizes(signature);
  }

  prepare(batch: Batch<PreparedItem>): PreparedKept {
    const { items } = batch;
    const prepared = this.#rows.prepare(batch);
    const rows = items.filter((item) => item instanceof KeptRow);
    if (rows.length === 0) return prepared;
    let answered: KeptAttempt | null = null;
    return {
      // The same numbers would be kept in two workers.
      mayRepeat: false,
      runOn: (client, run) => {
        const attempt = new KeptAttempt(this.#tensors, this.#sizes, client);
        for (const row of rows) row.isSent = row.isReadable && attempt.reserve(row);
        const send = async () => {
          try {
            const result = await prepared.runOn(noting(attempt, items, client), run);
            if (result.ok) answered = attempt;
            return result;
          } finally {
            attempt.unreserve();
          }
        };
        return rows.reduce((inner, row) => () => row.during(inner), send)();
      },
      resultsOf: (reply) => {
        const results = prepared.resultsOf(reply);
        for (const [index, item] of items.entries()) answered?.note(item, results[index]!);
        return results.map((result, index) => lossOf(items[index]!) ?? result);
      },
    };
  }
}

/** Returns the worker, which gets what rows read and keep with them. */
function noting(attempt: KeptAttempt, items: readonly PreparedItem[], client: RowClient): RowClient {
  return {
    run: (request, ...others) => {
      if (!("rows" in request)) return client.run(request, ...others);
      // Only now it is certain which rows are sent: others may have come back from the worker of an earlier attempt.
      const columns = attempt.columnsOf(items.filter(isSent), request.rows.count);
      return client.run({ ...request, ...columns }, ...others);
    },
  };
}

function lossOf(item: PreparedItem): Error | null {
  if (item instanceof KeptRow && item.refusal !== null) return item.refusal;
  const input = item instanceof KeptRow && !item.isSent ? item.lostInput : null;
  return input === null ? null : keptTensorLost(input);
}
