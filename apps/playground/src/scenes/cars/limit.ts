import type { WorldFigures } from "./world/protocol.js";

/** How many cars a way to call the model carries at the full rate of the screen, as far as it was seen. */
export interface Limit {
  /** The most cars with which every frame came in time; 0 if none was seen. */
  readonly holds: number;
  /** About how many cars are too many; `null` while none were. */
  readonly breaksAt: number | null;
}

export const UNKNOWN_LIMIT: Limit = { holds: 0, breaksAt: null };

/** The share of the screen's frames with which motion looks smooth, and that without which it does not. */
const SMOOTH = 0.9;
const BROKEN = 0.8;

/**
 * Learns from a report. A side that misses frames breaks at the number of cars whose answers would fill one frame; the
 * time of an answer is that of this report. What was seen last counts.
 *
 * @param framePeriodMs of the screen
 */
export function learnLimit(
  limit: Limit,
  { cars, frames, busyMs, elapsedMs }: WorldFigures,
  framePeriodMs: number,
): Limit {
  const share = (frames * framePeriodMs) / elapsedMs;
  if (share >= SMOOTH) {
    const holds = Math.max(limit.holds, cars);
    return { holds, breaksAt: limit.breaksAt !== null && limit.breaksAt > holds ? limit.breaksAt : null };
  }
  if (share >= BROKEN) return limit;
  const breaksAt = Math.max(1, Math.min(cars, Math.round((cars * framePeriodMs * frames) / busyMs)));
  return { holds: limit.holds < breaksAt ? limit.holds : 0, breaksAt };
}
