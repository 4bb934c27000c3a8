import { MODELS, type ModelName } from "../runtime/models.js";
import type { Life, Play } from "../play/play.js";
import type { Scenario, Subject } from "../scenario/scenario.js";
import type { Violation } from "../logs/violation.js";

/** What may keep a check from comparing what it has to: failing runs and items, pages that sleep, and samples of the caller. */
const DISTURBING = /"poison"|"samples"|"brittle"|"tight"|"on":"(run|time)"|"do":"(restart|busy|hide|freeze|crash)"/;

/** The least number of rows that a check compares if batches may have as many. */
const COMPARED_ROWS = 4;

/** Where nothing disturbs a model, its check says whether its rows mix. */
export function checkVerdicts({ lives }: Play, scenario: Scenario): Violation[] {
  const expected = lives.map(({ index }) => expectedOf(scenario.subjects[index]!));
  if (expected.every((one) => one === null) || DISTURBING.test(JSON.stringify(scenario))) return [];
  return lives.flatMap((life, at) => (expected[at] === null ? [] : compare(life, expected[at]!)));
}

function compare(life: Life, expected: string): Violation[] {
  const got = outcomeOf(life);
  if (got === null || got.outcome === expected) return [];
  const what = `the check of subject ${life.index} says "${got.outcome}", expected "${expected}": ${got.reason}`;
  return [{ rule: "verdicts", what }];
}

/** Returns what a check must find; `null` if it is not made, or need not find what mixes only in larger batches. */
function expectedOf(subject: Subject): "passed" | "failed" | null {
  if (subject.kind !== "model" || subject.options["verify"] === false) return null;
  const { maxBatchSize = Infinity, batching } = subject.options;
  if (typeof maxBatchSize !== "number" || maxBatchSize === 1 || batching === false) return null;
  const mixesFrom = leastMixed(subject.model);
  if (mixesFrom > maxBatchSize) return "passed";
  return mixesFrom <= COMPARED_ROWS ? "failed" : "passed";
}

/** Returns the least number of rows in a batch that is answered otherwise than each alone. */
function leastMixed(name: ModelName): number {
  const { mixesFrom, countsRows = false, isMisread = false } = MODELS[name];
  return countsRows || isMisread ? 2 : (mixesFrom ?? Infinity);
}

/** Returns what the check of a model that is in use has found; `null` if it is no longer in use. */
function outcomeOf({
  callable,
  page,
  disposedAtMs,
}: Life): { readonly outcome: string; readonly reason: string } | null {
  if (callable?.state !== "ready" || page.isEnded || disposedAtMs !== null) return null;
  const { batchCheck }: { batchCheck?: unknown } = Object(callable.stats());
  const { outcome, reason }: { outcome?: unknown; reason?: unknown } = Object(batchCheck);
  return { outcome: String(outcome), reason: String(reason) };
}
