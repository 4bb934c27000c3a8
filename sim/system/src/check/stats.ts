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

/** Ways in which a run of a pipeline can end. */
const RUN_ENDS = ["completed", "failed", "aborted", "timedOut", "superseded", "disposed"] as const;

interface PipelineCounts {
  readonly runs: Readonly<Record<"accepted" | "inFlight" | (typeof RUN_ENDS)[number], number>>;
  readonly stages: readonly (Readonly<Record<"accepted" | "completed" | "failed" | "aborted" | "inFlight", number>> & {
    readonly totalMs: { readonly count: number };
  })[];
}

/** When no call is open, no request counts as open, and each counts as what has become of it. */
export function checkStats({ lives, ledger }: Play): Violation[] {
  return lives.flatMap((life) => {
    const { kind, index, page, callable, disposedAtMs } = life;
    if (page.isEnded || page.isFrozen || callable === null || disposedAtMs !== null) return [];
    if ((ledger.open.get(index)?.size ?? 0) > 0) return [];
    const entries = [...ledger.entries.values()].filter(({ subject }) => subject === index);
    if (kind === "pipeline") return checkRuns(Object(callable.stats()), life, entries);
    const counts: Counts | undefined = Reflect.get(Object(callable.stats()), "requests");
    return counts === undefined || !COUNTED.includes(kind) ? [] : checkCounts(counts, life, entries);
  });
}

/** So it is for the runs of a pipeline, and for the parts of each of its steps. */
function checkRuns({ runs, stages }: PipelineCounts, { index }: Life, entries: readonly Entry[]): Violation[] {
  const answered = entries.filter(({ kind, outcome }) => kind === "predict" && outcome !== null && "value" in outcome);
  const isRight =
    runs.inFlight === 0 &&
    runs.accepted === RUN_ENDS.reduce((sum, name) => sum + runs[name], 0) &&
    runs.completed >= answered.length;
  const wrong = stages.filter(
    ({ accepted, completed, failed, aborted, inFlight, totalMs }) =>
      inFlight !== 0 || accepted !== completed + failed + aborted || totalMs.count !== completed,
  );
  if (isRight && wrong.length === 0) return [];
  return [{ rule: "stats", what: `pipeline ${index} counts ${JSON.stringify({ runs, wrong })}` }];
}

function checkCounts(counts: Counts, { index }: Life, entries: readonly Entry[]): Violation[] {
  const { offered, accepted, queued, inFlight, refused } = counts;
  const ended = ENDS.reduce((sum, name) => sum + counts[name], 0);
  const answered = entries.filter(({ outcome }) => outcome !== null && "value" in outcome);
  const isRight =
    queued === 0 &&
    inFlight === 0 &&
    accepted === ended &&
    offered === accepted + refused.queueFull + refused.latency &&
    counts.completed >= answered.filter(({ kind, part }) => kind === "predict" && part === null).length;
  return isRight ? [] : [{ rule: "stats", what: `subject ${index} counts ${JSON.stringify(counts)}` }];
}
