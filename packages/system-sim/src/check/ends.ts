import type { Play } from "../program/play.js";
import type { Violation } from "./violation.js";

/** Once everything is disposed of, every call has settled, whatever it waited for. Not if its page has ended or is frozen. */
export function checkEnds({ ledger, lives }: Play): Violation[] {
  const left = [...ledger.entries.values()].filter(({ settlements, subject }) => {
    const { page, opening, wasLost } = lives[subject]!;
    return settlements === 0 && opening === "open" && !page.isEnded && !page.isFrozen && !wasLost;
  });
  return left.map(({ call }) => ({ rule: "settles", what: `call ${call} has not settled after dispose` }));
}
