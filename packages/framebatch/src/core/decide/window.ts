import { type Release, release, type Wait, waitUntil } from "./decision.js";
import { idle } from "./idle.js";
import type { Situation } from "./situation.js";

/**
 * Applies `maxBatchSize` and `maxQueueDelayMs`, as server batchers do. The window starts with the oldest request and
 * never restarts.
 */
export function window(situation: Situation): Release | Wait {
  const { nowMs, size, fullSize, windowClosesAtMs } = situation;
  if (situation.isHidden) return idle(situation);
  if (size >= fullSize) return release("full", true);
  return nowMs >= windowClosesAtMs ? release("window", true) : waitUntil(windowClosesAtMs);
}
