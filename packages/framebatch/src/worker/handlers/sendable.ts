import type { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import { transferablesIn } from "../../transport/object-graph.js";
import type { Outputs } from "@framebatch/rows/tensor/tensor.js";
import { notSendable, type HandlerStage } from "./handler-errors.js";

/** A result that a message can contain, and what is transferred with it to the page. */
export interface SendableResult {
  readonly value: unknown;
  readonly transfer: Transferable[];
}

/**
 * Clones a result of a handler for the page: the clone itself decides whether the result can be sent, for this item
 * alone, and a message can contain whatever comes out of it. Moves the buffers of the outputs, which belong to no one
 * else, and bitmaps and other objects that should exist once. Copies all other buffers, which the handler may use again.
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
