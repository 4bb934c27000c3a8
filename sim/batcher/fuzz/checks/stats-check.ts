import type { BatcherStats } from "@framebatch/batcher/stats/stats.js";
import type { Ending } from "./rejection-checks.js";
import { hold } from "./violation.js";

/** The witness's own counts, to compare with the statistics. */
export interface Seen {
  readonly endings: Readonly<Record<Ending, number>>;
  readonly waiting: number;
  readonly inFlight: number;
  readonly runs: number;
  readonly rows: number;
}

/** I-14: the statistics add up and match the witness's counts. Holds between any two tasks. */
export function checkStats({ requests, batches, batchSize, cost }: BatcherStats, { endings, ...seen }: Seen): void {
  const { accepted, refused } = requests;
  const answered = requests.completed + requests.failed + requests.aborted + requests.timedOut;
  const dropped = requests.superseded + requests.shed + requests.disposed;
  const turnedAway = refused.queueFull + refused.latency;
  same("accepted", accepted, answered + dropped + requests.queued + requests.inFlight);
  same("offered", requests.offered, accepted + turnedAway);
  same("completed", requests.completed, endings.completed);
  same("failed", requests.failed, endings.failed);
  same("aborted", requests.aborted, endings.aborted);
  same("timed out", requests.timedOut, endings.timedOut);
  same("superseded", requests.superseded, endings.superseded);
  same("refused and shed", turnedAway + requests.shed, endings.refused);
  same("disposed", requests.disposed, endings.disposed);
  same("queued", requests.queued, seen.waiting);
  same("batches", batches.count, seen.runs);
  same("batches in flight", batches.inFlight, seen.inFlight);
  hold(
    cost.curve.every(({ ms }) => Number.isFinite(ms) && ms >= 0),
    "I-14",
    () => "a predicted time is no time",
  );
  same("rows", Math.round(batchSize.mean * batchSize.count), seen.rows);
}

function same(what: string, told: number, seen: number): void {
  hold(told === seen, "I-14", () => `${what}: the statistics tell ${told}, seen were ${seen}`);
}
