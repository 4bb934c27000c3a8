import { FramebatchError } from "@framebatch/batcher/errors/errors.js";

/** Returns the error of a row whose tensor was in a worker that has ended. @param input the input that reads it */
export function keptTensorLost(input: string): FramebatchError {
  return new FramebatchError(
    "DEVICE_LOST",
    `input "${input}": expected a tensor in the worker, got the handle of one that was lost with an earlier worker, or released; compute it again`,
    { details: { input, isTensorLost: true } },
  );
}

/** Whether a request was rejected because a tensor that it reads was lost. */
export function isTensorLoss(error: unknown): boolean {
  return error instanceof FramebatchError && error.details["isTensorLost"] === true;
}
