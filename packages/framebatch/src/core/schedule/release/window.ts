import { type Decision, type ReleaseContext, send, TIMER_LATENESS_MS, waitUntil } from "./context.js";
import { idle } from "./idle.js";

/**
 * Applies `maxBatchSize` and `maxQueueDelayMs`, as server batchers do. The window starts with the oldest request and
 * never restarts. It closes earlier if its oldest request would otherwise miss its timeout or its latency objective:
 * a request that the rule itself has made late would be dropped while the engine is free.
 */
export function window(context: ReleaseContext): Decision {
  const { nowMs, windowClosesAtMs, mustStartByMs, marginMs } = context;
  if (context.isHidden) return idle(context);
  if (context.queued >= context.maxBatchSize) return send("full", true);
  const closesAtMs = Math.min(windowClosesAtMs, mustStartByMs - marginMs - TIMER_LATENESS_MS);
  return nowMs >= closesAtMs ? send("window", true) : waitUntil(closesAtMs);
}
