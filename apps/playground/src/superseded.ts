import { FramebatchError } from "framebatch";

/** True if a newer request with the same `key` superseded this one, which is normal while the visitor draws, types or scrolls. */
export function isSuperseded(error: unknown): boolean {
  return error instanceof FramebatchError && error.code === "SUPERSEDED";
}
