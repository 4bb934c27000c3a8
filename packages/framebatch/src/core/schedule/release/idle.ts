import { type Decision, type ReleaseContext, send, type Wait, waitUntil } from "./context.js";

/** Timers come some milliseconds late; the answer of a run that ends within this time is the better alarm. */
const SHORTEST_TIMER_MS = 4;

/** Never waits while the engine is free. While it is busy, forms the next batch just in time. */
export function idle(context: ReleaseContext): Decision {
  return waitForEngine(context) ?? send("idle");
}

/** `null` once a batch should be formed as far as the engine is concerned. */
export function waitForEngine({ formAtMs, nowMs, isHidden, isFull, othersWait }: ReleaseContext): Wait | null {
  if (formAtMs <= nowMs) return null;
  if (formAtMs === Infinity) return waitUntil(Infinity);
  if (formAtMs - nowMs > SHORTEST_TIMER_MS && !isHidden) return waitUntil(formAtMs);
  return isFull() || othersWait ? null : waitUntil(Infinity);
}
