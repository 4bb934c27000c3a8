import { FramebatchError } from "@framebatch/batcher/errors/errors.js";
import type { Origin } from "@framebatch/batcher/queue/request.js";

/** The failure of one side. */
export interface SideFailure {
  readonly origin: Origin;
  readonly error: FramebatchError;
}

/** Returns the error of the preferred side, which also names the failure of the other. */
export function bothFailed(preferred: SideFailure, other: SideFailure): FramebatchError {
  const { code, message, details } = preferred.error;
  return new FramebatchError(
    code,
    `${preferred.origin}: ${message} (the ${other.origin} failed too: ${other.error.message})`,
    { cause: other.error, details: { ...details, otherOrigin: other.origin, otherCode: other.error.code } },
  );
}
