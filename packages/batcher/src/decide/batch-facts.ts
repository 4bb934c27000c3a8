import type { Situation } from "./situation.js";
import { bestRateSize } from "./best-size.js";

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

/** Whether enough requests are queued for the size with the best rate. */
export function isFull(situation: Situation): boolean {
  return situation.size >= sizeForRate(Infinity, situation);
}

/** The size with the best rate, of those up to `available`. */
function sizeForRate(available: number, { times, timelySize, volume, hiddenMs }: Situation): number {
  return bestRateSize(times, Math.min(available, timelySize), volume, hiddenMs);
}

/** Whether other requests, of no lower priority, are queued that cannot run with these. */
export function doOthersWait({ isBackground, queued, urgent, size }: Situation): boolean {
  return (isBackground ? queued : urgent) > size;
}

/** The latest start that meets the leader's timeout and latency objective; `Infinity` if it has neither. */
export function mustStartByMs({ leader, size, volume, times }: Situation): number {
  return leader.deadlineMs - times.predict(size, volume);
}

/** The time to spare for errors of the prediction, and for answers that come late because the page is busy. */
export function marginMs({ size, volume, times, frameMarginMs }: Situation): number {
  return 2 * times.deviation(size, volume) + frameMarginMs;
}
