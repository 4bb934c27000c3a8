import { asError, type ErrorDetails, FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { transferablesIn } from "../object-graph.js";
import type { Outputs } from "@framebatch/rows/tensor/tensor.js";

/** The functions of the user that can fail an item, or a text. `load` fails all of them. */
type HandlerStage = "begin" | "preprocess" | "postprocess" | "choose" | "load" | "run";

/** Returns the error of an item whose handler threw, or returned something that cannot be used. */
export function handlerFailed(stage: HandlerStage, cause: unknown, details: ErrorDetails = {}): FramebatchError {
  const message = `${stage}: ${asError(cause).message}`;
  return new FramebatchError("HANDLER_FAILED", message, { cause, details: { stage, ...details } });
}

/** Returns the error of an item whose result cannot be sent to the page. @param cause what `structuredClone` threw */
function notSendable(stage: HandlerStage, cause: unknown): FramebatchError {
  const message = `${stage}: expected a result that structured cloning can copy, got one that it cannot (${asError(cause).message}); return plain data, and bitmaps and buffers that are neither closed nor transferred`;
  return new FramebatchError("HANDLER_FAILED", message, { cause, details: { stage } });
}

/** Whether `handlerFailed` made the error. */
export function isHandlerError(error: unknown): error is FramebatchError {
  return error instanceof FramebatchError && error.code === "HANDLER_FAILED";
}

/** A result that a message can contain, and what is transferred with it to the page. */
export interface SendableResult {
  readonly value: unknown;
  readonly transfer: Transferable[];
}

/**
 * Clones a result of a handler for the page: the clone itself decides whether the result can be sent, for this item
 * alone, and a message can contain whatever comes out of it. Moves the buffers of the outputs, which belong to no one
 * else, and bitmaps and other objects that should exist once. Copies all other buffers, which the handler may use
 * again.
 *
 * Returns HANDLER_FAILED if structured cloning cannot copy the result.
 */
export function sendable(
  stage: HandlerStage,
  result: unknown,
  outputs: Outputs = {},
): SendableResult | FramebatchError {
  if (isPrimitive(result)) return { value: result, transfer: [] };
  try {
    const own = new Set<unknown>(transferablesIn(outputs));
    const movable = transferablesIn(result);
    const transfer = movable.filter((object) => own.has(object) || !(object instanceof ArrayBuffer));
    const value: unknown = structuredClone(result, { transfer });
    return { value, transfer: transferablesIn(value) };
  } catch (cause) {
    return notSendable(stage, cause);
  }
}

/** Whether a value has no parts, and can be sent. Functions and symbols cannot. */
function isPrimitive(value: unknown): boolean {
  return value === null || ["string", "number", "boolean", "undefined", "bigint"].includes(typeof value);
}
