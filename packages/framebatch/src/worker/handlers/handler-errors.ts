import { asError, FramebatchError } from "../../core/errors.js";

/** Returns the error of an item whose handler threw, or returned something that cannot be used. */
export function handlerFailed(stage: "preprocess" | "postprocess", cause: unknown): FramebatchError {
  return new FramebatchError("HANDLER_FAILED", `${stage}: ${asError(cause).message}`, { cause, details: { stage } });
}

/** Returns the error of an item whose result cannot be sent to the page. @param cause what `structuredClone` threw */
export function notSendable(cause: unknown): FramebatchError {
  const message = `postprocess: expected a result that structured cloning can copy, got one that it cannot (${asError(cause).message}); return plain data, and bitmaps and buffers that are neither closed nor transferred`;
  return new FramebatchError("HANDLER_FAILED", message, { cause, details: { stage: "postprocess" } });
}

/** Whether `handlerFailed` made the error. */
export function isHandlerError(error: unknown): error is FramebatchError {
  return error instanceof FramebatchError && error.code === "HANDLER_FAILED";
}
