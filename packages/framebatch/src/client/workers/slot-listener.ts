import type { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import type { Verdict } from "../../transport/protocol.js";
import type { ProviderCheck } from "../../transport/provider-check.js";
import type { SlotLife } from "./slot-life.js";
import type { WorkerClient } from "./worker-client.js";

/** Receives the events of a slot. */
export interface SlotListener {
  /**
   * The slot has changed its state, or its session.
   * @param error what ended the worker, or why none could be started; `null` if nothing failed
   */
  onState(state: SlotLife["state"], error: FramebatchError | null): void;
  /** The worker has completed its check of batches. */
  onChecked(verdict: Verdict): void;
  /** The worker has compared the answers of its provider with those of WASM. */
  onCompared(check: ProviderCheck): void;
  /** A worker that works is about to be ended. Recalls what only the worker has: it stays until it has returned that. */
  onRetiring(client: WorkerClient): void;
}
