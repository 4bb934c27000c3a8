import type { InputReader } from "../../core/collate/input-reader.js";
import type { PreparedItem } from "../../core/collate/prepared-item.js";
import type { Batch } from "../../core/engine/engine.js";
import { FramebatchError } from "../../core/errors.js";
import type { Outputs } from "../../core/tensor/tensor.js";
import type { SentStep } from "../../transport/protocol.js";
import { isHere } from "../engine/lost-rows.js";
import type { PreparedBatch } from "../engine/model-engine.js";
import { type PreparedRows, RowBatches, type RowClient } from "../engine/row-batches.js";
import { shipmentOf } from "../engine/shipment.js";
import type { PendingRun } from "../workers/pending-runs.js";
import type { RunResult } from "../workers/worker-client.js";
import type { StateClient } from "./kept-state.js";
import { StepRow } from "./step-row.js";

/** A batch that is ready to be sent, to anything that holds states. */
export interface PreparedSteps extends PreparedBatch<Outputs> {
  readonly runOn: (client: StateClient, run: PendingRun) => Promise<RunResult>;
}

/** Hands batches with steps of sequences to workers, and restores states where a worker has none. */
export class StepBatches {
  readonly #reader: InputReader;
  readonly #rows: RowBatches;
  readonly #leastRows: number;

  /** @param leastRows number of rows of a run of one step */
  constructor(reader: InputReader, leastRows: number) {
    this.#reader = reader;
    this.#leastRows = leastRows;
    // No row moves: a step may have to run again.
    this.#rows = new RowBatches(reader, true, isSent);
  }

  prepare(batch: Batch<PreparedItem>): PreparedSteps {
    const { items } = batch;
    const prepared = this.#rows.prepare(batch);
    const steps = items.filter((item) => item instanceof StepRow);
    if (steps.length === 0) return prepared;
    return {
      // A comparison of two ways to run would advance states in two workers.
      mayRepeat: false,
      runOn: (client, run) => this.#runOn(client, run, items, steps, prepared),
      resultsOf: (reply) => prepared.resultsOf(reply).map((result, index) => lossOf(items[index]) ?? result),
    };
  }

  /** No await if no state has to be restored: the worker then receives the batch in the same turn of the event loop. */
  #runOn(
    client: StateClient,
    run: PendingRun,
    items: readonly PreparedItem[],
    steps: readonly StepRow[],
    prepared: PreparedRows,
  ): Promise<RunResult> {
    const away = steps.filter(({ isOpen, state, step }) => isOpen && !state.isReadyFor(step, client));
    const start = () => {
      for (const row of steps) row.isSent = row.isOpen && row.state.lost === null;
      return prepared.runOn(clientFor(client, items.filter(isSent)), run);
    };
    if (away.length === 0) return start();
    return this.#restore(away, client, run).then(start);
  }

  /** One state after the other: the worker has one run of a job at a time. */
  async #restore(away: readonly StepRow[], client: StateClient, run: PendingRun): Promise<void> {
    const replay = (row: PreparedItem, sent: SentStep) => this.#replay(row, sent, client, run);
    for (const row of away) await row.state.restore(row, client, replay);
  }

  async #replay(row: PreparedItem, sent: SentStep, client: StateClient, run: PendingRun): Promise<RunResult> {
    const { rows, transfer } = await shipmentOf([row], this.#reader.pack([row]), true);
    const { extents, ownExtents = extents } = row.shape;
    const request = { rows, paddedSize: this.#leastRows, extents: ownExtents, mayMerge: false, steps: [sent] };
    return client.run(request, transfer, run);
  }
}

function isSent(row: PreparedItem): boolean {
  return row instanceof StepRow ? row.isSent : isHere(row);
}

function lossOf(row: PreparedItem | undefined): FramebatchError | null {
  return row instanceof StepRow ? row.state.lost : null;
}

/** Returns the worker, which gets the steps with the rows. @param rows the rows that are sent */
function clientFor(client: StateClient, rows: readonly PreparedItem[]): RowClient {
  return {
    run: async (request, ...others) => {
      const steps = rows.map((row) =>
        row instanceof StepRow ? row.state.sentAs(row.step, row.returns, client) : null,
      );
      const send = () => client.run({ ...request, steps }, ...others);
      const result = await rows.reduce((inner, row) => during(row, client, inner), send)();
      note(result, rows, client);
      return result;
    },
  };
}

function during(row: PreparedItem, client: StateClient, run: () => Promise<RunResult>): () => Promise<RunResult> {
  return row instanceof StepRow ? () => row.state.during(client, run) : run;
}

/** Notes on each step which worker has run it, or that the worker does not have its state. */
function note(result: RunResult, rows: readonly PreparedItem[], client: StateClient): void {
  const isLost = !result.ok && result.error instanceof FramebatchError && result.error.code === "SEQUENCE_LOST";
  const states = result.ok && "outputs" in result.reply ? (result.reply.states ?? []) : [];
  for (const [index, row] of rows.entries()) {
    if (!(row instanceof StepRow)) continue;
    if (result.ok) row.ran = { client, state: states[index] ?? null };
    else if (isLost) row.state.forgetHome();
  }
}
