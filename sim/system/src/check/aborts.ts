import type { Entry } from "../logs/ledger.js";
import { endedAtMs, type Life } from "../play/play.js";
import type { Violation } from "../logs/violation.js";

/** Time of messages and tasks, in milliseconds. */
const SLACK_MS = 20;

/**
 * An abort takes effect within the task in which it happens: the call has settled when its microtasks have run. So its time is
 * that of the abort. The same holds for the calls that are open when what they ask is disposed of. A slow loop over a text hears of it
 * when it asks for the next token.
 */
export function checkAborts(entry: Entry, life: Life): Violation[] {
  const { call, abortedAtMs, askedAtMs, settledAtMs, kind, items } = entry;
  const isText = items.some(({ text }) => text !== undefined);
  if (life.page.isEnded || (kind === "stream" && !isText)) return [];
  const disposedAtMs = endedAtMs(entry, life);
  const heardAtMs = (settledAtMs ?? Infinity) - noticeMsOf(entry, abortedAtMs === null ? undefined : 1);
  const isOpenThen = disposedAtMs !== null && askedAtMs <= disposedAtMs && heardAtMs > disposedAtMs;
  if (isOpenThen && abortedAtMs === null)
    return [
      {
        rule: "aborts",
        what: `call ${call} was open at the dispose at ${disposedAtMs}, and settled at ${settledAtMs}`,
      },
    ];
  if (abortedAtMs === null) return [];
  if (heardAtMs <= Math.max(askedAtMs, abortedAtMs)) return [];
  return [{ rule: "aborts", what: `call ${call} was aborted at ${abortedAtMs}, and settled at ${settledAtMs}` }];
}

/**
 * How long after its text the loop over it ends, at most, in milliseconds. One that has all its tokens ends at any time.
 * @param unread number of tokens that it reads before; by default all, since a run of a fast model makes many
 */
export function noticeMsOf({ items: [item], outcome }: Entry, unread = item?.text?.maxNewTokens ?? 0): number {
  const readMs = item?.text?.readMs;
  if (readMs === undefined) return 0;
  return outcome !== null && "value" in outcome ? Infinity : unread * (readMs + 1) + SLACK_MS;
}
