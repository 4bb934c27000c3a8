import type { Entry } from "../logs/ledger.js";
import type { Life, Play } from "../play/play.js";
import type { Violation } from "../logs/violation.js";

/** Ways in which an accepted request can end. */
const ENDS = ["completed", "failed", "aborted", "timedOut", "superseded", "shed", "disposed"] as const;

/** What counts its requests as its calls are. */
const COUNTED: readonly Life["kind"][] = ["model", "function", "sequences", "handled", "engine"];

type Counts = Readonly<Record<"offered" | "accepted" | "queued" | "inFlight" | (typeof ENDS)[number], number>> & {
  readonly refused: { readonly queueFull: number; readonly latency: number };
};

/** When no call is open, no request counts as open, and each counts as what has become of it. */
export function checkStats({ lives, ledger }: Play): Violation[] {
  return lives.flatMap((life) => {
    const counts = countsOf(life);
    const isIdle = (ledger.open.get(life.index)?.size ?? 0) === 0;
    return counts === null || !isIdle ? [] : checkCounts(counts, life, [...ledger.entries.values()]);
  });
}

function countsOf({ kind, page, callable, disposedAtMs }: Life): Counts | null {
  if (!COUNTED.includes(kind) || page.isEnded || page.isFrozen || callable === null || disposedAtMs !== null)
    return null;
  return Reflect.get(Object(callable.stats()), "requests") ?? null;
}

function checkCounts(counts: Counts, { index }: Life, entries: readonly Entry[]): Violation[] {
  const { offered, accepted, queued, inFlight, refused } = counts;
  const ended = ENDS.reduce((sum, name) => sum + counts[name], 0);
  const answered = entries.filter(
    ({ subject, outcome }) => subject === index && outcome !== null && "value" in outcome,
  );
  const isRight =
    queued === 0 &&
    inFlight === 0 &&
    accepted === ended &&
    offered === accepted + refused.queueFull + refused.latency &&
    counts.completed >= answered.filter(({ kind, part }) => kind === "predict" && part === null).length;
  return isRight ? [] : [{ rule: "stats", what: `subject ${index} counts ${JSON.stringify(counts)}` }];
}
