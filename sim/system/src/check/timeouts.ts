import { noticeMsOf } from "./aborts.js";
import { codeOf } from "../logs/error-code.js";
import type { Entry, Ledger } from "../logs/ledger.js";
import type { Life } from "../play/play.js";
import { rankOf } from "../scenario/priority.js";
import type { Scenario } from "../scenario/scenario.js";
import type { Violation } from "../logs/violation.js";

/** Timers ring late, and a task of the page runs before them. */
const SLACK_MS = 5;

/** A longer time ends after the scenario. */
const MOST_MS = 20 * 60_000;

const JUDGED: readonly Life["kind"][] = ["model", "function", "sequences", "group", "texts"];

/**
 * A call has settled when its time is over, and its time does not end while its function is free and nothing more urgent waits.
 * Judged on pages that are visible and never busy.
 */
export function checkTimeouts(entry: Entry, { kind, page }: Life, { steps }: Scenario, ledger: Ledger): Violation[] {
  const { call, askedAtMs, settledAtMs, options, items } = entry;
  const { timeoutMs } = options;
  const isText = items.some(({ text }) => text !== undefined);
  if (
    timeoutMs === undefined ||
    timeoutMs > MOST_MS ||
    (entry.kind !== "predict" && !isText) ||
    !JUDGED.includes(kind) ||
    page.isEnded
  )
    return [];
  if (steps.some((step) => ["busy", "hide", "freeze"].includes(step.do))) return [];
  const dueMs = askedAtMs + timeoutMs + SLACK_MS + noticeMsOf(entry);
  if ((settledAtMs ?? Infinity) > dueMs)
    return [{ rule: "timeouts", what: `call ${call} has until ${dueMs}, and settled at ${settledAtMs}` }];
  if (kind !== "function" || !isForgotten(entry, ledger)) return [];
  return [
    { rule: "timeouts", what: `the function is free since ${entry.freeSinceMs}, and the time of call ${call} is over` },
  ];
}

/** Whether the time of a call has ended, although its function was free all that time and the call was the most urgent. */
function isForgotten(entry: Entry, { entries }: Ledger): boolean {
  const { outcome, freeSinceMs, askedAtMs, subject, options } = entry;
  if (outcome === null || !("error" in outcome) || codeOf(outcome.error) !== "TIMED_OUT") return false;
  const isAhead = (other: Entry) => other.subject === subject && rankOf(other.options) < rankOf(options);
  return freeSinceMs <= askedAtMs && ![...entries.values()].some(isAhead);
}
