import type { ErrorCode } from "./error-codes.js";
import { asError, type ErrorDetails, FramebatchError } from "./errors.js";

/** An error as plain data, for transfer between threads, because structured cloning loses its class, code and cause. */
export interface ErrorData {
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
  readonly code: ErrorCode | undefined;
  readonly details: ErrorDetails | undefined;
  readonly cause: ErrorData | undefined;
}

/** Maximum number of errors in a chain of causes that is encoded: an error may be its own cause. */
const MAX_CAUSES = 16;

/**
 * Converts any thrown value into data that structured cloning preserves. Includes the chain of causes. Never throws.
 */
export function encodeError(thrown: unknown, causesLeft = MAX_CAUSES): ErrorData {
  const error = asError(thrown);
  const known = isOurs(error);
  // The cause of an error that `asError` has made is the thrown value itself.
  const cause = error === thrown && causesLeft > 0 ? error.cause : undefined;
  return {
    name: typeof error.name === "string" ? error.name : "Error",
    message: error.message,
    stack: typeof error.stack === "string" ? error.stack : undefined,
    code: known ? error.code : undefined,
    details: known ? error.details : undefined,
    cause: cause === undefined ? undefined : encodeError(cause, causesLeft - 1),
  };
}

/**
 * Whether an error is a `FramebatchError`, perhaps of another copy of the class: the entry points of the package are
 * bundles of their own.
 */
function isOurs(error: Error): error is FramebatchError {
  return (
    error instanceof FramebatchError || (error.name === "FramebatchError" && "code" in error && "details" in error)
  );
}

/** Reverses `encodeError`. Returns a `FramebatchError` if there is a code, otherwise an `Error` with the same name. */
export function decodeError(data: ErrorData): Error {
  const cause = data.cause === undefined ? undefined : decodeError(data.cause);
  const error =
    data.code === undefined
      ? Object.assign(new Error(data.message, cause && { cause }), { name: data.name })
      : new FramebatchError(data.code, data.message, { cause, ...(data.details && { details: data.details }) });
  if (data.stack !== undefined) error.stack = data.stack;
  return error;
}
