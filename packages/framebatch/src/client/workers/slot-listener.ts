import type { FramebatchError } from "../../core/errors.js";
import type { Verdict } from "../../transport/protocol.js";
import type { WorkerClient } from "./worker-client.js";

/** Receives the events of a slot. */
export interface SlotListener {
  /**
   * The slot is replacing its session, or has ended it to free its memory.
   * @param error what ended the worker; `null` for `restart`, `leaveProvider` and `unload`
   */
  onRecovering(error: FramebatchError | null): void;
  /** The replacement has ended, and the slot can run batches. */
  onReady(): void;
  /** No other worker could be started. `restart` may still succeed. */
  onFailed(error: FramebatchError): void;
  /** The worker has completed its check of batches. */
  onChecked(verdict: Verdict): void;
  /** A worker that works is about to be ended. Recalls what only the worker has: it stays until it has returned that. */
  onRetiring(client: WorkerClient): void;
}
