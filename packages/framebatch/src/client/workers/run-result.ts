import type { RunReply } from "../../transport/protocol.js";

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
