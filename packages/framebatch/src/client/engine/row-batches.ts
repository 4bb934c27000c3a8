import {
  answersOf,
  isPacked,
  packRows,
  buffersIn,
  isTyped,
  ownsBuffer,
  type SentRows,
  type TypedData,
  isDetached,
} from "@framebatch/rows/collate/sent-rows.js";
import type { InputReader } from "@framebatch/rows/collate/input-reader.js";
import type { PreparedItem, RowContent } from "@framebatch/rows/collate/prepared-item.js";
import type { Batch } from "@framebatch/batcher/engine/engine.js";
import { asError, FramebatchError } from "@framebatch/batcher/errors/errors.js";
import type { Outputs, TensorData } from "@framebatch/rows/tensor/tensor.js";
import type { RunReply } from "../../transport/protocol.js";
import type { PendingRun, RunResult } from "../workers/pending-runs.js";
import type { WorkerClient } from "../workers/worker-client.js";
import type { PreparedBatch } from "./model-engine.js";

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
      if (sent.length === 0) return Promise.resolve(EMPTY_RESULT);
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
const EMPTY_RESULT: RunResult = { ok: true, reply: { ok: true, outputs: {}, inferenceMs: 0, rows: 0 } };

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

/** Rows on their way to a worker. */
interface OutgoingRows {
  readonly rows: SentRows;
  readonly transfer: ArrayBuffer[];
  /** Whether rows move: the page then has nothing of them until they are answered or returned. */
  readonly isMoved: boolean;
}

/** Maximum size of what is copied in one task, in bytes: it takes about a millisecond. */
const MAX_COPIED_BYTES = 2 ** 22;

/** An array that another worker needs if this one dies. */
interface Kept {
  readonly elements: TypedData;
  /** Puts a copy into the message. */
  readonly copy: () => void;
}

/**
 * Prepares rows for a message. Moves large ones that their callers have given away, and copies other large ones, which
 * may take several tasks: then it returns a promise.
 * @param packed the same rows; small ones are packed and thereby copied
 * @param keeps whether no row moves
 */
export function outgoingRows(
  items: readonly PreparedItem[],
  packed: SentRows,
  keeps: boolean,
): OutgoingRows | Promise<OutgoingRows> {
  const columns = packed.columns.map((column) => (isPacked(column) ? column : [...column]));
  const isMoving = (row: number) => !keeps && items[row]?.take !== undefined;
  const kept = columns.flatMap((column) => (isPacked(column) ? [] : keptIn(column, isMoving)));
  const outgoing = (): OutgoingRows => {
    const typed = columns.flatMap((column) => (isPacked(column) ? [] : column.filter(isTyped)));
    const rows = { ...packed, columns };
    return { rows, transfer: buffersIn(rows), isMoved: typed.length > kept.length };
  };
  if (kept.reduce((sum, { elements }) => sum + elements.byteLength, 0) > MAX_COPIED_BYTES)
    return copyInTasks(kept).then(outgoing);
  for (const { copy } of kept) copy();
  return outgoing();
}

function keptIn(entries: (TensorData | null)[], isMoving: (row: number) => boolean): Kept[] {
  return entries.flatMap((elements, row) => {
    if (!isTyped(elements) || (isMoving(row) && ownsBuffer(elements))) return [];
    return [{ elements, copy: () => (entries[row] = elements.slice()) }];
  });
}

async function copyInTasks(kept: readonly Kept[]): Promise<void> {
  let copiedBytes = 0;
  for (const { elements, copy } of kept) {
    if (copiedBytes + elements.byteLength > MAX_COPIED_BYTES) {
      await nextTask();
      copiedBytes = 0;
    }
    copy();
    copiedBytes += elements.byteLength;
  }
}

/** Resolves in a new task. Uses no timer, because a hidden tab delays them. */
function nextTask(): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.addEventListener("message", () => {
      port1.close();
      resolve();
    });
    port1.start();
    port2.postMessage(null);
  });
}

/**
 * Whether the memory of a row is here. That of one that was transferred to a worker is not, until the worker returns
 * it.
 */
export function isHere({ data }: RowContent): boolean {
  for (const elements of data) if (elements !== null && isDetached(elements)) return false;
  return true;
}

/** Returns the result of a batch of which only a part was sent. */
export function ofPart(result: RunResult): RunResult {
  return result.ok ? result : { ...result, isPartial: true };
}

/** Returns the error of a row or an item that its worker has taken along. */
export function lostWithWorker(): FramebatchError {
  return new FramebatchError(
    "WORKER_CRASHED",
    "the worker ended, and the item had moved there; predict again with a new item, or without transfer: true",
  );
}
