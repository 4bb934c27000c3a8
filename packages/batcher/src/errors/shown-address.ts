import { asError } from "./errors.js";

/**
 * Returns an address for messages, or a text of the browser or of ONNX Runtime that names addresses: each with its
 * origin and path only, since a query, a user name, or a `data:` address may hold a secret.
 */
export function shownAddress(text: string): string {
  return text
    .replaceAll(/\b(data|blob):[^\s"'<>)]+/g, "a $1: address")
    .replaceAll(/\b([\w+.-]+:\/\/)(?:[^\s/?#@]*@)?([^\s"'<>)?#]*)[^\s"'<>)]*/g, "$1$2");
}

/** Returns a thrown value as the cause of an error: itself, unless its text holds more of an address. */
export function shownCause(thrown: unknown): unknown {
  const text = asError(thrown).message;
  const shown = shownAddress(text);
  return shown === text ? thrown : new Error(shown);
}
