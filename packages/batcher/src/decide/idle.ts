import { type Release, release, TIMER_LATENESS_MS, type Wait, waitUntil } from "./decision.js";
import { doOthersWait, isFull } from "./batch-facts.js";
import { formAtMs } from "./rounds.js";
import type { Situation } from "./situation.js";

/** Never waits while the engine is free. While the engine is busy, forms the next batch just in time. */
export function idle(situation: Situation): Release | Wait {
  return waitForEngine(situation) ?? release("idle");
}

/**
 * Returns `null` when the engine needs the next batch now; otherwise, how long to wait. Every wait ends, even if the run
 * that it is for never does.
 */
export function waitForEngine(situation: Situation): Wait | null {
  const { nowMs, overdueAtMs, isHidden } = situation;
  const formMs = formAtMs(situation);
  if (formMs <= nowMs) return null;
  // If a run ends before a timer may fire, its answer is the more accurate wake-up.
  if (formMs - nowMs > TIMER_LATENESS_MS && !isHidden) return waitUntil(formMs);
  return overdueAtMs <= nowMs || isFull(situation) || doOthersWait(situation) ? null : waitUntil(overdueAtMs);
}
