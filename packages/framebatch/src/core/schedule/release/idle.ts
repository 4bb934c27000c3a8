import { type Decision, type ReleaseContext, send, TIMER_LATENESS_MS, type Wait, waitUntil } from "./context.js";

/** Never waits while the engine is free. While the engine is busy, forms the next batch just in time. */
export function idle(context: ReleaseContext): Decision {
  return waitForEngine(context) ?? send("idle");
}

/**
 * Returns `null` when the engine needs the next batch now; otherwise, how long to wait. Every wait ends, even if the run
 * that it is for never does.
 */
export function waitForEngine(context: ReleaseContext): Wait | null {
  const { formAtMs, nowMs, overdueAtMs } = context;
  if (formAtMs <= nowMs) return null;
  // If a run ends before a timer may fire, its answer is the more accurate wake-up.
  if (formAtMs - nowMs > TIMER_LATENESS_MS && !context.isHidden) return waitUntil(formAtMs);
  return overdueAtMs <= nowMs || context.isFull() || context.othersWait ? null : waitUntil(overdueAtMs);
}
