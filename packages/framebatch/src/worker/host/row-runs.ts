import { Collator } from "../../core/collate/collator.js";
import { buffersIn } from "../../core/collate/sent-rows.js";
import { transferList } from "../../core/collate/transfer-list.js";
import { encodeError } from "../../core/error-data.js";
import { FramebatchError } from "../../core/errors.js";
import type { FailedReply, RowsAnswer, RowsRequest } from "../../transport/protocol.js";
import type { Sent } from "../../transport/transport.js";
import type { ServeFeeds } from "../session/feeds-reply.js";
import type { Backend } from "../session/trial.js";
import { failedReply } from "./replies.js";
import { SequenceStates } from "../sequences/sequence-states.js";

/** The reply to a `RowsRequest`. */
export type RowsReply = RowsAnswer | FailedReply;

/** Runs rows of tensors: stacks and pads them, runs them, and splits and trims the outputs. */
export class RowRuns {
  readonly #collator: Collator;
  readonly #serve: ServeFeeds;
  readonly #states: SequenceStates;

  constructor({ signature, padding, states }: Pick<Backend, "signature" | "padding" | "states">, serve: ServeFeeds) {
    this.#collator = new Collator(signature, padding);
    this.#serve = serve;
    this.#states = new SequenceStates(states);
  }

  async run(request: RowsRequest): Promise<Sent<RowsReply>> {
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

  /** Drops the state of a sequence. */
  readonly endSequence = (sequence: number): void => this.#states.end(sequence);
}

/** What a worker has before its model is loaded. */
export const NO_ROWS: Pick<RowRuns, "run" | "endSequence"> = {
  endSequence: () => undefined,
  run(request) {
    const error = new FramebatchError("INFERENCE_FAILED", "expected a loaded model, got none");
    return Promise.resolve(returned(failedReply(error, true), request));
  },
};

/** Gives the rows of a failed run back. */
function returned(reply: FailedReply, { rows }: RowsRequest): Sent<RowsReply> {
  return { reply: { ...reply, returned: rows }, transfer: buffersIn(rows) };
}
