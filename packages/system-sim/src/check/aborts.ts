import type { Entry } from "../program/ledger.js";
import type { Life } from "../program/play.js";
import type { Violation } from "./violation.js";

/**
 * An abort takes effect within the task in which it happens: the call has settled when its microtasks have run. So its time is
 * that of the abort.
 */
export function checkAborts({ call, abortedAtMs, askedAtMs, settledAtMs, kind }: Entry, life: Life): Violation[] {
  if (abortedAtMs === null || life.page.isEnded || kind === "stream") return [];
  if (settledAtMs !== null && settledAtMs <= Math.max(askedAtMs, abortedAtMs)) return [];
  return [{ rule: "aborts", what: `call ${call} was aborted at ${abortedAtMs}, and settled at ${settledAtMs}` }];
}
