import type { Outcome } from "./ledger.js";

/** Returns the code of the error with which a call has ended; `null` if it has none. */
export function codeIn(outcome: Outcome | null): string | null {
  return outcome !== null && "error" in outcome ? codeOf(outcome.error) : null;
}

/** Returns the code of an error; `null` if it has none. */
export function codeOf(error: unknown): string | null {
  const code: unknown = typeof error === "object" && error !== null ? Reflect.get(error, "code") : null;
  return typeof code === "string" ? code : null;
}
