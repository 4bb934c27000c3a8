import { asError, FramebatchError } from "../../core/errors.js";

/** Returns the error of an item whose handler threw, or returned something that cannot be used. */
export function handlerFailed(stage: "preprocess" | "postprocess", cause: unknown): FramebatchError {
  return new FramebatchError("HANDLER_FAILED", `${stage}: ${asError(cause).message}`, { cause, details: { stage } });
}

/** Whether `handlerFailed` made the error. */
export function isHandlerError(error: unknown): error is FramebatchError {
  return error instanceof FramebatchError && error.code === "HANDLER_FAILED";
}
