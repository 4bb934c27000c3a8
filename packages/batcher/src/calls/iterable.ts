import { FramebatchError } from "../errors/errors.js";

/** Whether a value can be read item by item without waiting. An untyped caller may pass anything. */
export function isIterable(value: Partial<Iterable<unknown>> | null | undefined): boolean {
  return typeof value?.[Symbol.iterator] === "function";
}

/** Returns the message for a value that cannot be read item by item: `expected X, got Y; fix`. */
export function notIterable(what: string, got: unknown): string {
  return `expected an iterable of ${what}, got ${got === null ? "null" : typeof got}; pass a list or write a generator`;
}

/** Returns the error of a caller who passes something else than a source of items. */
export function noItems(got: unknown): FramebatchError {
  return new FramebatchError("INVALID_INPUT", notIterable("items", got));
}
