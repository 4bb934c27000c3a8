import { encodeError } from "../../core/error-data.js";
import { FramebatchError } from "../../core/errors.js";
import type { HandledItem, ItemsRequest, RunReply } from "../../transport/protocol.js";
import type { Sent } from "../../transport/transport.js";

/** Runs the batches of what the user's module serves. Each function answers the message of its name in the protocol. */
export interface ServedBatches {
  deliver(items: readonly HandledItem[]): void;
  withdraw(id: number): void;
  recall(ids: readonly number[]): Promise<Sent<readonly HandledItem[]>>;
  /** Runs a batch. Its items stay in the worker unless the reply is `ok`. */
  run(request: ItemsRequest): Promise<Sent<RunReply>>;
  /** Drops the state of a sequence. */
  endSequence?(sequence: number): void;
  /** Ends the engine, in the time that an ending worker has. */
  dispose?(): Promise<void>;
}

/** What a worker has before its handlers or its engine are loaded, and for good if its module gives none. */
export const NO_BATCHES: ServedBatches = {
  deliver: () => undefined,
  withdraw: () => undefined,
  recall: () => Promise.resolve({ reply: [], transfer: [] }),
  run() {
    const error = new FramebatchError("INFERENCE_FAILED", "expected loaded handlers or a loaded engine, got none");
    return Promise.resolve({ reply: { ok: false, error: encodeError(error), fatal: true }, transfer: [] });
  },
};
