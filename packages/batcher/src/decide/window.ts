import { marginMs, mustStartByMs } from "./batch-facts.js";
import { type Release, release, TIMER_LATENESS_MS, type Wait, waitUntil } from "./decision.js";
import { idle } from "./idle.js";
import type { Situation } from "./situation.js";

/**
 * Applies `maxBatchSize` and `maxQueueDelayMs`, as server batchers do. The window starts with the oldest request and
 * never restarts. It closes earlier if its leader would otherwise miss its timeout or its latency objective: a request
 * that the rule itself has made late would be dropped while the engine is free.
 */
export function window(situation: Situation): Release | Wait {
  const { nowMs, size, fullSize, windowClosesAtMs } = situation;
  if (situation.isHidden) return idle(situation);
  if (size >= fullSize) return release("full", true);
  const latestMs = mustStartByMs(situation) - marginMs(situation) - TIMER_LATENESS_MS;
  const closesAtMs = Math.min(windowClosesAtMs, latestMs);
  return nowMs >= closesAtMs ? release("window", true) : waitUntil(closesAtMs);
}
