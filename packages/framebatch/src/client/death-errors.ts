import { FramebatchError } from "../core/errors.js";

/** The worker has broken down, or is gone. */
export function crash(what: string, cause?: unknown): FramebatchError {
  return new FramebatchError("WORKER_CRASHED", `the worker stopped working: ${what}`, { cause });
}

/** The worker has said nothing for as long as its run may take. */
export function hung(patienceMs: number): FramebatchError {
  return new FramebatchError(
    "WORKER_HUNG",
    `expected an answer from the worker, got none for ${Math.round(patienceMs)} ms; where a run may take longer, raise runTimeoutMs`,
    { details: { patienceMs } },
  );
}

/** What the worker itself says that it dies of. */
export function asDeath(error: Error): FramebatchError {
  return error instanceof FramebatchError ? error : crash(error.message, error);
}

/** The worker has said nothing for as long as a download may stall. */
export function stalled(timeoutMs: number): FramebatchError {
  return new FramebatchError(
    "RUNTIME_LOAD_FAILED",
    `expected progress while the model is loaded, got none for ${timeoutMs} ms; raise stallTimeoutMs for a slow network or a large model`,
    { details: { stallTimeoutMs: timeoutMs } },
  );
}
