import { bestRateSize } from "./best-size.js";
import type { Situation } from "./situation.js";

/** Whether enough requests are queued for the size with the best rate. */
export function isFull(situation: Situation): boolean {
  return situation.size >= sizeForRate(Infinity, situation);
}

/** The size with the best rate, of those up to `available`. */
export function sizeForRate(available: number, { times, timelySize, volume, hiddenMs }: Situation): number {
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

/** For errors of the prediction, and for answers that come late because the page is busy. */
export function marginMs({ size, volume, times, frameMarginMs }: Situation): number {
  return 2 * times.deviation(size, volume) + frameMarginMs;
}
