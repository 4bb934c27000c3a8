import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import type { Origin } from "@framebatch/batcher/queue/request.js";

/** The failure of one side. */
export interface SideFailure {
  readonly origin: Origin;
  readonly error: FramebatchError;
}

/**
 * Returns the error of the preferred side, which also names the failure of the other. If only one side was overloaded, it is
 * that of the other one, which had room for the request, so that its item may be the caller's no more.
 */
export function bothFailed(preferred: SideFailure, other: SideFailure): FramebatchError {
  return isOverload(preferred) && !isOverload(other) ? withOther(other, preferred) : withOther(preferred, other);
}

/** Whether a side had no room for a request. */
export function isOverload({ error }: SideFailure): boolean {
  return error.code === "OVERLOADED";
}

/** Returns the error of one side, which also names the failure of the other. */
export function withOther({ origin, error }: SideFailure, other: SideFailure): FramebatchError {
  const { code, message, details } = error;
  return new FramebatchError(code, `${origin}: ${message} (the ${other.origin} failed too: ${other.error.message})`, {
    cause: other.error,
    details: { ...details, otherOrigin: other.origin, otherCode: other.error.code },
  });
}
