import type { Entry } from "../logs/ledger.js";
import type { Life, Play } from "../play/play.js";
import { codeOf } from "../logs/error-code.js";
import type { Violation } from "../logs/violation.js";

/** How many steps wait at most, if a sequence does not say it. */
const MAX_WAITING = 1024;

/** Items of a stream that are pulled, and not yet answered. */
const PULLED = 2;

/** One step at a time has its turn. */
const TURNS = 1;

/** The line of a sequence holds as many steps as it may, and what is dropped is the oldest that waits. */
export function checkLines({ lives, ledger }: Play): Violation[] {
  const entries = [...ledger.entries.values()];
  return lives.flatMap((life) =>
    life.parts.flatMap(({ sequence }, part) => {
      if (sequence === null) return [];
      const steps = entries.filter((entry) => entry.subject === life.index && entry.part === part);
      // What a stream pulls, and when, is not in the ledger.
      return steps.some(({ kind }) => kind === "stream") ? [] : checkLine(steps, sequence, life);
    }),
  );
}

function checkLine(steps: readonly Entry[], options: Life["options"], { page }: Life): Violation[] {
  if (page.isEnded) return [];
  const most = typeof options["maxQueueSize"] === "number" ? options["maxQueueSize"] : MAX_WAITING;
  return steps.flatMap((step, index) => {
    const open = steps.slice(0, index).filter(({ settledAtMs }) => (settledAtMs ?? Infinity) > step.askedAtMs);
    const full: Violation[] =
      open.length + 1 > most + PULLED
        ? [{ rule: "lines", what: `${open.length + 1} steps are open, and ${most} may wait` }]
        : [];
    const older = steps
      .slice(0, index)
      .filter(({ settledAtMs }) => (settledAtMs ?? Infinity) > (step.settledAtMs ?? 0));
    return isDropped(step) && older.length > TURNS
      ? [...full, { rule: "lines", what: `step ${step.call} was dropped before ${older.length} older ones` }]
      : full;
  });
}

/** Not what the model itself refuses: that has other details. */
function isDropped({ outcome }: Entry): boolean {
  if (outcome === null || !("error" in outcome) || codeOf(outcome.error) !== "OVERLOADED") return false;
  return String(outcome.error).toLowerCase().includes("newer step");
}
