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

/** The worker has said nothing for as long as a step of its start may take. */
export function neverStarted(timeoutMs: number): FramebatchError {
  return new FramebatchError(
    "RUNTIME_LOAD_FAILED",
    `expected ONNX Runtime to load and to start the model, got no sign of life for ${timeoutMs} ms; ` +
      "check that its .wasm files are served, and raise runTimeoutMs for a model that takes longer",
    { details: { timeoutMs } },
  );
}
