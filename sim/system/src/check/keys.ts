import type { Entry } from "../logs/ledger.js";
import type { Play } from "../play/play.js";
import type { Violation } from "../logs/violation.js";

/** Of the runs of a pipeline with the same key, only the newest goes on. */
export function checkKeys({ lives, ledger }: Play): Violation[] {
  const entries = [...ledger.entries.values()];
  return lives.flatMap(({ kind, index }) => {
    if (kind !== "pipeline") return [];
    const runs = entries.filter(({ subject, options }) => subject === index && options.key !== undefined);
    return runs.flatMap((run) =>
      runs.filter((older) => goesOnBeside(older, run)).map((older) => violation(older, run)),
    );
  });
}

/** Whether a run was still open after another one with its key had begun. One that ends at once may not have begun. */
function goesOnBeside(older: Entry, { options, askedAtMs, settledAtMs }: Entry): boolean {
  const isReplaced = older.options.key === options.key && older.askedAtMs < askedAtMs;
  return isReplaced && settledAtMs !== askedAtMs && (older.settledAtMs ?? Infinity) > askedAtMs;
}

function violation(older: Entry, run: Entry): Violation {
  return { rule: "keys", what: `run ${older.call} goes on beside run ${run.call}, which has its key` };
}
