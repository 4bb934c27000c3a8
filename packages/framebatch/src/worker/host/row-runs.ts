import { Collator } from "@framebatch/rows/collate/collator.js";
import { buffersIn } from "@framebatch/rows/collate/sent-rows.js";
import { transferList } from "@framebatch/rows/collate/transfer-list.js";
import { encodeError } from "@framebatch/batcher/errors/error-data.js";
import type { FailedReply, RowsAnswer, RowsRequest } from "../../transport/protocol.js";
import type { Sent } from "../../transport/transport.js";
import type { ServeFeeds } from "../session/feeds-reply.js";
import type { Backend } from "../session/trial.js";
import { notLoaded } from "./replies.js";
import type { KeptParts } from "../kept/kept-parts.js";
import { KeptRuns } from "../kept/kept-runs.js";
import { SequenceStates } from "../sequences/sequence-states.js";

/** The reply to a `RowsRequest`. */
export type RowsReply = RowsAnswer | FailedReply;

/** Runs rows of tensors: stacks and pads them, runs them, and splits and trims the outputs. */
export class RowRuns {
  readonly #collator: Collator;
  readonly #serve: ServeFeeds;
  readonly #states: SequenceStates;
  readonly #kept: KeptRuns | null;

  /** @param group what it shares with the other models of its worker; `null` if it is in no group */
  constructor(
    { signature, padding, states }: Pick<Backend, "signature" | "padding" | "states">,
    serve: ServeFeeds,
    group: KeptParts | null = null,
  ) {
    this.#collator = new Collator(signature, padding);
    this.#serve = serve;
    this.#states = new SequenceStates(states);
    this.#kept = group === null ? null : new KeptRuns({ signature, padding, collator: this.#collator, ...group });
  }

  async run(request: RowsRequest): Promise<Sent<RowsReply>> {
    if (this.#kept !== null && (request.keeps ?? request.reads) !== undefined)
      return this.#runKept(request, this.#kept);
    const { rows, paddedSize, extents, steps } = request;
    try {
      const before = this.#states.before(rows.count, steps);
      const columns = this.#states.withStates(rows.columns, before);
      const reply = await this.#serve(this.#collator.stackSent({ ...rows, columns }, paddedSize, extents));
      if (!reply.ok) return returned(reply, request);
      const answered = this.#collator.answer(rows, reply.outputs, paddedSize, extents);
      const answer = this.#states.advance(before, answered, rows.count, steps);
      return {
        reply: { ok: true, ...answer, inferenceMs: reply.inferenceMs },
        transfer: transferList(answer.outputs),
      };
    } catch (thrown) {
      return returned({ ok: false, error: encodeError(thrown), fatal: false }, request);
    }
  }

  /** Runs rows that read tensors of this worker, or leave some in it. A model with states has none. */
  async #runKept(request: RowsRequest, kept: KeptRuns): Promise<Sent<RowsReply>> {
    const { rows, paddedSize, extents, wants } = request;
    try {
      const { reply, onDevice } = await kept.serve(request);
      if (!reply.ok) return returned(reply, request);
      const isWanted = (name: string) => !onDevice.has(name) && (wants?.includes(name) ?? true);
      const answer = () => this.#collator.answer(rows, reply.outputs, paddedSize, extents, isWanted);
      const outputs = kept.keep(request, answer, onDevice);
      return { reply: { ok: true, outputs, inferenceMs: reply.inferenceMs }, transfer: transferList(outputs) };
    } catch (thrown) {
      return returned({ ok: false, error: encodeError(thrown), fatal: false }, request);
    }
  }

  /** Releases what the rows of this model have left in the worker. */
  releaseKept(): void {
    this.#kept?.release();
  }

  /** Drops the state of a sequence. */
  readonly endSequence = (sequence: number): void => this.#states.end(sequence);
}

/** What a worker has before its model is loaded. */
export const NO_ROWS: Pick<RowRuns, "run" | "endSequence" | "releaseKept"> = {
  endSequence: () => undefined,
  releaseKept: () => undefined,
  run(request) {
    return Promise.resolve(returned(notLoaded(), request));
  },
};

/** Gives the rows of a failed run back. */
function returned(reply: FailedReply, { rows }: RowsRequest): Sent<RowsReply> {
  return { reply: { ...reply, returned: rows }, transfer: buffersIn(rows) };
}
