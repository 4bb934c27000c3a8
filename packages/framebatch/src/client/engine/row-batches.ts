import { answersOf, isPacked, packRows } from "@framebatch/rows/collate/sent-rows.js";
import type { InputReader } from "@framebatch/rows/collate/input-reader.js";
import type { PreparedItem } from "@framebatch/rows/collate/prepared-item.js";
import type { Batch } from "@framebatch/batcher/engine/engine.js";
import { asError } from "@framebatch/batcher/errors/errors.js";
import type { Outputs } from "@framebatch/rows/tensor/tensor.js";
import type { RunReply } from "../../transport/protocol.js";
import type { PendingRun, RunResult } from "../workers/run.js";
import type { WorkerClient } from "../workers/worker-client.js";
import { isHere, lostWithWorker, ofPart } from "./lost-rows.js";
import type { PreparedBatch } from "./model-engine.js";
import { type OutgoingRows, outgoingRows } from "./outgoing-rows.js";

/** The part of a worker that runs rows. */
export type RowClient = Pick<WorkerClient, "run">;

/** A batch of rows that is ready to be sent. */
export interface PreparedRows extends PreparedBatch<Outputs> {
  readonly runOn: (client: RowClient, run: PendingRun) => Promise<RunResult>;
}

/** Hands rows of tensors to workers, which stack, run and split them. */
export class RowBatches {
  readonly #reader: InputReader;
  readonly #keeps: boolean;
  readonly #isSent: (row: PreparedItem) => boolean;

  /**
   * @param keeps whether the page keeps a copy of every row, because more than a worker may need it
   * @param isSent whether an attempt sends a row; the others are lost
   */
  constructor(reader: InputReader, keeps: boolean, isSent: (row: PreparedItem) => boolean = isHere) {
    this.#reader = reader;
    this.#keeps = keeps;
    this.#isSent = isSent;
  }

  readonly prepare = (batch: Batch<PreparedItem>): PreparedRows => {
    const { items, paddedSize, extents } = batch;
    let areCopies = true;
    for (const { take } of items) if (take !== undefined) areCopies = false;
    // Copies never leave the page, so that each attempt has them.
    const areHere = areCopies && this.#isSent === isHere;
    // A run that may have ended a worker is repeated without rows of other pages, and they without its rows.
    let mayMerge = !batch.isAlone && batch.reason !== "retry";
    /** The rows of the last attempt. */
    let sent = items;
    let attempts = 0;
    /** Resolves when the worker of the last attempt has returned what had moved there, or never will. */
    let returning: Promise<void> | null = null;
    const send = (
      client: RowClient,
      run: PendingRun,
      { rows, transfer, isMoved }: OutgoingRows,
    ): Promise<RunResult> => {
      const request = { rows, paddedSize, extents, mayMerge };
      mayMerge = false;
      const isWhole = sent.length === items.length;
      const lend = (reply: Promise<RunReply>) => {
        returning = reply.then(takeBackTo(sent), () => undefined);
      };
      const result = client.run(request, transfer, run, isMoved ? lend : undefined);
      return isWhole ? result : result.then(ofPart);
    };
    const runOn = (client: RowClient, run: PendingRun): Promise<RunResult> => {
      // No await unless rows are away: the worker then receives the batch in the same turn of the event loop.
      if (returning !== null) {
        const back = returning;
        returning = null;
        return back.then(() => runOn(client, run));
      }
      attempts += 1;
      sent = areHere ? items : items.filter(this.#isSent);
      if (sent.length === 0) return Promise.resolve(NOTHING);
      let outgoing: OutgoingRows | Promise<OutgoingRows>;
      try {
        const { rows, transfer } = packRows(this.#reader.plans, sent);
        outgoing = transfer === null ? outgoingRows(sent, rows, this.#keeps) : { rows, transfer, isMoved: false };
      } catch (error) {
        // A batch that the page cannot send has failed as one that the worker cannot run: parts of it may run.
        return Promise.resolve({ ok: false, error: asError(error) });
      }
      return "then" in outgoing ? outgoing.then((ready) => send(client, run, ready)) : send(client, run, outgoing);
    };
    return {
      mayRepeat: this.#keeps || areCopies,
      runOn,
      resultsOf: (reply) => {
        // The buffers can be reused: a batch that has results never runs again. But a comparison may still copy them.
        if (attempts === 1) this.#reader.release(items);
        const answers = "outputs" in reply ? answersOf(reply.outputs, sent.length) : [];
        return sent.length === items.length ? answers : resultsIn(items, sent, answers);
      },
    };
  };
}

function resultsIn(
  items: readonly PreparedItem[],
  sent: readonly PreparedItem[],
  answers: readonly Outputs[],
): readonly (Outputs | Error)[] {
  const answerOf = new Map(sent.map((item, index) => [item, answers[index]]));
  return items.map((item) => answerOf.get(item) ?? lostWithWorker());
}

/** The result of a batch whose rows are all lost. */
const NOTHING: RunResult = { ok: true, reply: { ok: true, outputs: {}, inferenceMs: 0, rows: 0 } };

/** Puts the memory that a failed run returns back into the rows that have none. */
function takeBackTo(items: readonly PreparedItem[]): (reply: RunReply) => void {
  return (reply) => {
    const columns = reply.ok ? [] : (reply.returned?.columns ?? []);
    for (const [input, column] of columns.entries()) {
      if (isPacked(column)) continue;
      for (const [row, { data }] of items.entries()) {
        if (!isHere({ data: [data[input] ?? null], sizes: [] })) data[input] = column[row] ?? null;
      }
    }
  };
}
