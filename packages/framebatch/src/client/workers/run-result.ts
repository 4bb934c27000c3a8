import type { RunReply } from "../../transport/protocol.js";
import type { WorkerClient } from "./worker-client.js";

/** A run in flight. After a crash, callers compare it by identity. */
export interface PendingRun {
  /** Maximum silence of the worker while it executes this run, in milliseconds. */
  readonly timeoutMs: number;
  /**
   * Whether parts of the run follow if it fails, to find the item at fault. A crash in it is then part of the search.
   */
  readonly isDivided: boolean;
}

/** A batch on its way to a worker and back, possibly in several attempts. */
export interface Run extends PendingRun {
  /** Makes an attempt. @throws what ended the worker, or why the batch must not run on it */
  readonly runOn: (client: WorkerClient, run: PendingRun) => Promise<RunResult>;
  /** Whether it can run once more after it was answered: the page keeps all of its rows. */
  readonly mayRepeat: boolean;
  /** Number of items. */
  readonly size: number;
  /** Whether it is a step of the search for the item that makes a batch fail. */
  readonly isStep: boolean;
  /** Predicted duration, in milliseconds; `null` while no run time is known. */
  readonly predictedMs: number | null;
  /** See `PendingRun`. The slot that takes the run sets it. */
  timeoutMs: number;
}

/** The replies to a run that has succeeded. */
export type Success = Extract<RunReply, { readonly ok: true }>;

/** The outcome of a run on a worker that can continue. */
export type RunResult = { readonly ok: true; readonly reply: Success } | FailedRun;

/** A run that has failed on a worker that can continue. */
export interface FailedRun {
  readonly ok: false;
  readonly error: Error;
  /** Whether a part of the batch was not in the run: the failure shows nothing of it. @default false */
  readonly isPartial?: boolean;
  /** Whether nothing was sent. @default false */
  readonly isUnsent?: boolean;
}
