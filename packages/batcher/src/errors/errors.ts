import type { ErrorCode } from "./error-codes.js";

/** Machine-readable values that describe an error, for example `{ predictedMs: 310, maxLatencyMs: 200 }`. */
export type ErrorDetails = Readonly<Record<string, string | number | boolean | null>>;

/**
 * The only error class of framebatch. `message` says what was expected, what was given and how to fix it, `code`
 * identifies the error, `cause` is the underlying error, if any, and `details` holds machine-readable values.
 * @example
 * ```ts
 * try {
 *   await model.predict(item, { timeoutMs: 200 });
 * } catch (error) {
 *   if (!(error instanceof FramebatchError)) throw error; // an abort rejects with the reason of its signal
 *   console.warn(error.code, error.message, error.details, error.cause);
 * }
 * ```
 */
export class FramebatchError extends Error {
  /** Identifies the error. */
  readonly code: ErrorCode;
  /** Machine-readable values that describe the error. Empty if there are none. */
  readonly details: ErrorDetails;

  /** framebatch creates its errors itself. An application may create one for its tests. */
  constructor(code: ErrorCode, message: string, options: { cause?: unknown; details?: ErrorDetails } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "FramebatchError";
    this.code = code;
    this.details = options.details ?? {};
  }
}

/**
 * Returns what was thrown, or an error with it as the cause unless it is an error that has a message. Never throws,
 * whatever it was: an object without a prototype has no text.
 */
export function asError(thrown: unknown): Error {
  try {
    const isReadable = thrown instanceof Error && typeof thrown.message === "string";
    return isReadable ? thrown : new Error(String(thrown), { cause: thrown });
  } catch {
    return new Error(`a thrown ${typeof thrown} that cannot be read`, { cause: thrown });
  }
}

/**
 * Returns an error that says where it occurred, in its message and `details`, with the original error as its cause. A
 * `FramebatchError` keeps its code and its other details.
 * @param otherCode the code of any other error
 */
export function placedError(
  error: unknown,
  place: string,
  details: ErrorDetails,
  otherCode: ErrorCode,
): FramebatchError {
  const known = asError(error);
  const hasCode = known instanceof FramebatchError;
  return new FramebatchError(hasCode ? known.code : otherCode, `${place}: ${known.message}`, {
    cause: error,
    details: { ...(hasCode && known.details), ...details },
  });
}
