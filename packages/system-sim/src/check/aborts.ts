import type { Entry } from "../program/ledger.js";
import { endedAtMs, type Life } from "../program/play.js";
import type { Violation } from "./violation.js";

/**
 * An abort takes effect within the task in which it happens: the call has settled when its microtasks have run. So its time is
 * that of the abort. The same holds for the calls that are open when what they ask is disposed of.
 */
export function checkAborts(entry: Entry, life: Life): Violation[] {
  const { call, abortedAtMs, askedAtMs, settledAtMs, kind, items } = entry;
  const isText = items.some(({ text }) => text !== undefined);
  if (life.page.isEnded || (kind === "stream" && !isText)) return [];
  const disposedAtMs = endedAtMs(entry, life);
  const isOpenThen = disposedAtMs !== null && askedAtMs <= disposedAtMs && (settledAtMs ?? Infinity) > disposedAtMs;
  if (isOpenThen && abortedAtMs === null)
    return [
      {
        rule: "aborts",
        what: `call ${call} was open at the dispose at ${disposedAtMs}, and settled at ${settledAtMs}`,
      },
    ];
  if (abortedAtMs === null) return [];
  if (settledAtMs !== null && settledAtMs <= Math.max(askedAtMs, abortedAtMs)) return [];
  return [{ rule: "aborts", what: `call ${call} was aborted at ${abortedAtMs}, and settled at ${settledAtMs}` }];
}
