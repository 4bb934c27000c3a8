import type { Entry } from "../logs/ledger.js";
import type { Life } from "../play/play.js";
import type { Scenario, Subject } from "../scenario/scenario.js";
import type { Fates } from "../runtime/fates.js";
import type { Violation } from "../logs/violation.js";

/** Runs that a model makes at most while it loads, of at most so many rows. */
const RUNS_OF_LOAD = 40;
const ROWS_OF_LOAD = 8;

/** Time that a start may take without a sign of life. */
const START_TIMEOUT_MS = 60_000;

/** Time in which a worker starts, and what a watchdog is late by as a share of its time. */
const START_MS = 500;
const LATE = 1.5;

/**
 * A call whose own handler hangs has settled after the timeouts of the runs that hang, and the restarts that follow: it never
 * waits for the minute that the start of another model may take. One that hangs after an await does so once: no worker can tell
 * that it is not the other model that hangs. So does one that hangs while the GPU computes the first run of a check of its own
 * model, whose time nobody knows yet. Judged where nothing else goes wrong.
 */
export function checkHanging(entry: Entry, life: Life, scenario: Scenario, fates: Fates): Violation[] {
  const { call, kind, items, part, askedAtMs, settledAtMs } = entry;
  const hangs = items.some(({ act }) => act?.does === "hang");
  const timeouts = timeoutsOf(scenario.subjects[life.index]!);
  if (!hangs || kind !== "predict" || timeouts === null || part === null) return [];
  if (scenario.faults.length > 0 || scenario.steps.some(isDisturbing) || life.page.isEnded) return [];
  const loadMs = START_MS + timeouts.length * RUNS_OF_LOAD * (scenario.baseMs + ROWS_OF_LOAD * scenario.rowMs);
  const isAmbiguous =
    items.some(({ slowMs }) => slowMs !== undefined) || isCheckedOnGpu(scenario.subjects[life.index]!);
  const onceMs = isAmbiguous ? LATE * START_TIMEOUT_MS : 0;
  const boundMs = onceMs + (fates.fatal + 1) * (LATE * Math.max(...timeouts) + loadMs);
  if ((settledAtMs ?? Infinity) - askedAtMs <= boundMs) return [];
  const what = `call ${call}, whose handler hangs, was asked at ${askedAtMs} and settled at ${settledAtMs}`;
  return [{ rule: "hanging", what: `${what}, which is more than ${boundMs.toFixed(0)} ms later` }];
}

/** Returns the limits for the runs of each model of a group; `null` if one has none. */
function timeoutsOf(subject: Subject): readonly number[] | null {
  if (subject.kind !== "group") return null;
  const limits = subject.models.map(({ options }) => Number(options["runTimeoutMs"]));
  return limits.some(Number.isNaN) ? null : limits;
}

/** Whether a model of a group may be checked while the thread is free for handlers. */
function isCheckedOnGpu(subject: Subject): boolean {
  const isOnGpu = JSON.stringify(subject.options["executionProviders"]) !== '["wasm"]';
  return subject.kind === "group" && isOnGpu && subject.models.some(({ options }) => options["verify"] !== false);
}

/** A page that does something else notices nothing; and what a step does to a model takes its own time. */
function isDisturbing(step: Scenario["steps"][number]): boolean {
  return ["busy", "hide", "freeze", "restart", "dispose"].includes(step.do);
}
