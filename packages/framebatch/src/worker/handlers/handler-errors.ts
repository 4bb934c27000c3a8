import { asError, type ErrorDetails, FramebatchError } from "@framebatch/batcher/errors/errors.js";

/** The functions of the user that can fail an item, or a text. `load` fails all of them. */
export type HandlerStage = "begin" | "preprocess" | "postprocess" | "choose" | "load" | "run";

/** Returns the error of an item whose handler threw, or returned something that cannot be used. */
export function handlerFailed(stage: HandlerStage, cause: unknown, details: ErrorDetails = {}): FramebatchError {
  const message = `${stage}: ${asError(cause).message}`;
  return new FramebatchError("HANDLER_FAILED", message, { cause, details: { stage, ...details } });
}

/** Returns the error of an item whose result cannot be sent to the page. @param cause what `structuredClone` threw */
export function notSendable(stage: HandlerStage, cause: unknown): FramebatchError {
  const message = `${stage}: expected a result that structured cloning can copy, got one that it cannot (${asError(cause).message}); return plain data, and bitmaps and buffers that are neither closed nor transferred`;
  return new FramebatchError("HANDLER_FAILED", message, { cause, details: { stage } });
}

/** Whether `handlerFailed` made the error. */
export function isHandlerError(error: unknown): error is FramebatchError {
  return error instanceof FramebatchError && error.code === "HANDLER_FAILED";
}
