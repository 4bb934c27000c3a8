import type { Entry } from "../logs/ledger.js";
import { TOKEN } from "../actors/inference-server.js";
import type { Violation } from "../logs/violation.js";

/** No error shows a secret of an address or a header. */
export function checkShown({ call, outcome }: Entry): Violation[] {
  if (outcome === null || !("error" in outcome)) return [];
  return shownIn(outcome.error, `call ${call}`);
}

/** Returns the violations of an error. */
export function shownIn(error: unknown, whose: string): Violation[] {
  if (!(error instanceof Error) || typeof Reflect.get(error, "code") !== "string") return [];
  const text = `${error.message} ${JSON.stringify(Reflect.get(error, "details") ?? {})}`;
  return text.includes(TOKEN) ? [{ rule: "shown", what: `the error of ${whose} shows a secret: ${text}` }] : [];
}
