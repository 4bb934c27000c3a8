import type { Entry } from "../logs/ledger.js";
import type { Life } from "../play/play.js";
import type { Scenario, Step } from "../scenario/scenario.js";
import type { Violation } from "../logs/violation.js";

/** Predictions may be off by this factor, and a batch waits for others, for so long. */
const FACTOR = 2;
const WAIT_MS = 100;

/**
 * A call is refused for its latency only if it would miss it: not if an idle function has never taken so long, nor if all that is
 * before it, each in a run of its own, would be done in time. Judged where all runs take their usual time.
 */
export function checkRefused(
  { call, kind, outcome, met }: Entry,
  life: Life,
  { faults, steps }: Scenario,
): Violation[] {
  const { maxLatencyMs } = life.options;
  if (outcome === null || !("error" in outcome) || kind !== "predict" || life.kind !== "function") return [];
  if (typeof maxLatencyMs !== "number" || met.longestMs === 0 || !isLate(outcome.error)) return [];
  const isIdle = met.ahead === 0 && met.running === 0;
  if (faults.length > 0 || steps.some(isSlowing)) return [];
  const longestMs = met.longestMs * life.spread;
  const needMs = (met.ahead + met.running + 1) * longestMs * FACTOR + WAIT_MS;
  if (needMs > maxLatencyMs && !(isIdle && longestMs < maxLatencyMs)) return [];
  return [
    {
      rule: "refused",
      what: `call ${call} was refused with ${met.ahead} items before it, of ${met.longestMs} ms each: ${String(outcome.error)}`,
    },
  ];
}

/** A run with a poison takes another time, and a page that does something else sees the end of a run late. */
function isSlowing(step: Step): boolean {
  if ("items" in step) return step.items.some(({ poison }) => poison !== undefined);
  return step.do === "busy" || step.do === "freeze";
}

function isLate(error: unknown): boolean {
  const details: unknown = error instanceof Error ? Reflect.get(error, "details") : null;
  return typeof details === "object" && details !== null && "maxLatencyMs" in details;
}
