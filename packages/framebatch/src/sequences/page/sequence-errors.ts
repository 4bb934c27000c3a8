import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import type { RunResult } from "../../client/workers/pending-runs.js";

/** The error of a step that a newer one has pushed out of the queue of its sequence. */
export function droppedStep(maxQueueSize: number): FramebatchError {
  const message = `A newer step took the place of this one: ${maxQueueSize} steps of the sequence waited already. Send fewer, or raise maxQueueSize.`;
  return new FramebatchError("OVERLOADED", message, { details: { maxQueueSize } });
}

/** The error of a step that has waited too long for its turn, while a newer one waits. */
export function lateStep(maxWaitMs: number): FramebatchError {
  const message = `A newer step waits, and this one has waited for more than ${maxWaitMs} ms. Send fewer, or raise maxWaitMs.`;
  return new FramebatchError("OVERLOADED", message, { details: { maxWaitMs } });
}

/** The error of the steps of a sequence whose state could not be restored. */
export function sequenceLost(step: number, cause: Error): FramebatchError {
  const message = `expected to restore the state of a sequence by running its step ${step} again, got a failure (${cause.message}); call reset, or go on with a new sequence`;
  return new FramebatchError("SEQUENCE_LOST", message, { cause, details: { step } });
}

/**
 * The outcome of a batch that was not sent, because its worker no longer has a state that it had: it is restored again.
 */
export function stateAway(): FramebatchError {
  return new FramebatchError("SEQUENCE_LOST", "expected the state before a step in the worker, got none; ask again");
}

/** Whether a worker does not have the state before a step. */
export function isStateAway(result: RunResult): boolean {
  return !result.ok && result.error instanceof FramebatchError && result.error.code === "SEQUENCE_LOST";
}

/** The error of a snapshot of a model with handlers. */
export function noSnapshot(): FramebatchError {
  const message =
    "snapshot: expected a model without handlers, got one whose handlers may remember what no tensor holds; let the handlers return what you need";
  return new FramebatchError("INVALID_OPTION", message, { details: { option: "snapshot" } });
}

/** The error of the steps of a sequence after `dispose`. */
export function sequenceDisposed(): FramebatchError {
  return new FramebatchError("DISPOSED", "expected a sequence in use, got one that was disposed of; start a new one");
}
