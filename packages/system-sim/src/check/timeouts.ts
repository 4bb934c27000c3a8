import type { Entry } from "../program/ledger.js";
import type { Life } from "../program/play.js";
import type { Scenario } from "../program/scenario.js";
import type { Violation } from "./violation.js";

/** Timers ring late, and a task of the page runs before them. */
const SLACK_MS = 5;

const JUDGED: readonly Life["kind"][] = ["model", "function", "sequences", "group"];

/** A call has settled when its time is over. Judged on pages that are visible and never busy. */
export function checkTimeouts(entry: Entry, { kind, page }: Life, { steps }: Scenario): Violation[] {
  const { call, askedAtMs, settledAtMs, options } = entry;
  const { timeoutMs } = options;
  if (timeoutMs === undefined || entry.kind !== "predict" || !JUDGED.includes(kind) || page.isEnded) return [];
  if (steps.some((step) => ["busy", "hide", "freeze"].includes(step.do))) return [];
  const dueMs = askedAtMs + timeoutMs + SLACK_MS;
  if ((settledAtMs ?? Infinity) <= dueMs) return [];
  return [{ rule: "timeouts", what: `call ${call} has until ${dueMs}, and settled at ${settledAtMs}` }];
}
