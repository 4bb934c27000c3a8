import { SLOTS } from "../actors/function-runs.js";
import type { Entry } from "../logs/ledger.js";
import type { Life, Play } from "../play/play.js";
import type { Witness } from "../logs/witness.js";
import type { Violation } from "../logs/violation.js";

/**
 * Every call settles exactly once. The exceptions: its page has ended or is frozen for ever; an item of it is in a run of a
 * function that never ends, and nobody has aborted it.
 */
export function checkSettles(entry: Entry, life: Life, witness: Witness): Violation[] {
  const { settlements, call } = entry;
  if (settlements === 1) return [];
  if (settlements > 1) return [{ rule: "settles", what: `call ${call} settled ${settlements} times` }];
  if (life.page.isEnded || life.page.isFrozen || life.wasLost) return [];
  if (mayWaitForEver(entry, life) || isBehindHanging(entry, life, witness)) return [];
  return [{ rule: "settles", what: `call ${call} never settled` }];
}

/** Once everything is disposed of, every call has settled, whatever it waited for. Not if its page has ended or is frozen. */
export function checkEnds({ ledger, lives }: Play): Violation[] {
  const left = [...ledger.entries.values()].filter(({ settlements, subject }) => {
    const { page, opening, wasLost } = lives[subject]!;
    return settlements === 0 && opening === "open" && !page.isEnded && !page.isFrozen && !wasLost;
  });
  return left.map(({ call }) => ({ rule: "settles", what: `call ${call} has not settled after dispose` }));
}

/** A stage that hangs holds up what is behind it, until an abort. */
function isBehindHanging({ abortedAtMs }: Entry, { kind, disposedAtMs }: Life, { hanging }: Witness): boolean {
  return kind === "pipeline" && abortedAtMs === null && disposedAtMs === null && hanging.size > 0;
}

/** A stream or a list behind an item that hangs waits with it, and so does everything if runs hang in all slots. */
function mayWaitForEver({ items, abortedAtMs }: Entry, { runs, disposedAtMs }: Life): boolean {
  if (abortedAtMs !== null || disposedAtMs !== null) return false;
  return runs.hanging >= SLOTS || items.some(({ id }) => runs.stuck.has(id));
}
