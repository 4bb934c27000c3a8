import type { AnyHandlers } from "./handlers.js";
import { handlerFailed } from "./handler-errors.js";

/**
 * Returns what the handlers of an item remember, for a step to change: a copy of what the step before has left, or what a
 * sequence begins with.
 * @param left `undefined` before the first step
 * @throws HANDLER_FAILED
 */
export function memoryFor(handlers: AnyHandlers, left: unknown): unknown {
  try {
    return left === undefined ? handlers.begin?.() : structuredClone(left);
  } catch (thrown) {
    throw handlerFailed("begin", thrown);
  }
}

/** Returns a copy of what handlers remember, which nothing changes any more. @throws HANDLER_FAILED if it has none */
export function copyOfMemory(memory: unknown): unknown {
  if (memory === undefined) return undefined;
  try {
    return structuredClone(memory);
  } catch (thrown) {
    throw handlerFailed("begin", thrown);
  }
}
