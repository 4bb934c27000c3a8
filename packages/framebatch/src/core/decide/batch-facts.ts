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
