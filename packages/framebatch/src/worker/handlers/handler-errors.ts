import { FramebatchError } from "../../core/errors.js";

/** Returns the error of an item whose handler threw, or returned something that cannot be used. */
export function handlerFailed(stage: "preprocess" | "postprocess", cause: unknown): FramebatchError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new FramebatchError("HANDLER_FAILED", `${stage}: ${why}`, { cause, details: { stage } });
}

/** Whether `handlerFailed` made the error. */
export function isHandlerError(error: unknown): error is FramebatchError {
  return error instanceof FramebatchError && error.code === "HANDLER_FAILED";
}
