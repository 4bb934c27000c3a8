import { sizeForRate } from "./batch-facts.js";
import type { Situation } from "./situation.js";

/**
 * Whether the batch is a complete round of a closed loop: all callers answered last have enqueued again, and the batch
 * holds the whole queue. No other request arrives before a batch ends.
 */
export function isRound({ isClosedLoop, haveReturned, queued, size, times }: Situation): boolean {
  return isClosedLoop && haveReturned && queued === size && times.isKnown;
}

/**
 * Whether two alternating runs finish sooner than one combined run. While one runs, the messages of the other are in
 * transit, and its callers handle their results and enqueue again: a cycle takes the two runs without what is hidden. A
 * combined run is followed by the work of all callers. On the other hand, the fixed cost of a run is paid twice.
 */
export function areTurnsBetter(first: number, second: number, situation: Situation): boolean {
  const { msPerReturn, hiddenMs, times, volume } = situation;
  const all = first + second;
  const savedMs = 2 * hiddenMs + all * msPerReturn;
  return times.predict(first, volume) + times.predict(second, volume) - times.predict(all, volume) <= savedMs;
}

/**
 * When the batch must be dispatched so that the engine does not wait for it. In a round, now: no other request can
 * arrive before a batch ends, and dispatching now is more punctual than any timer. But if one combined run is better
 * than alternating runs, the batch waits for the running one to end, so that it can merge with its callers, until that
 * run is overdue.
 */
export function formAtMs(situation: Situation): number {
  const { nowMs, leader, size, freeAtMs, batchesRunning } = situation;
  if (!isRound(situation)) return freeAtMs - situation.handoverMs;
  if (batchesRunning < situation.engines || freeAtMs > leader.dueMs) return nowMs;
  const others = Math.round(situation.rowsRunning / batchesRunning);
  const isOneRunBest = sizeForRate(size + others, situation) === size + others;
  return isOneRunBest && !areTurnsBetter(others, size, situation) ? situation.overdueAtMs : nowMs;
}
