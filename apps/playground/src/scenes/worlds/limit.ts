/** How many callers a way to call the model carries, as far as it was seen. */
export interface Limit {
  /** The most callers with which every answer came in time; 0 if none was seen. */
  readonly holds: number;
  /** About how many callers are too many; `null` while none were. */
  readonly breaksAt: number | null;
}

export const UNKNOWN_LIMIT: Limit = { holds: 0, breaksAt: null };

/** What a side did with a number of callers. */
export interface Load {
  readonly callers: number;
  /** The share of what was due that came in time, 0 to 1. */
  readonly inTime: number;
  /** How many callers it would carry, by the speed of its answers. */
  readonly carries: number;
}

/** The share with which a side looks smooth, and that without which it does not. */
const SMOOTH = 0.9;
const BROKEN = 0.8;

/** Learns from a report. What was seen last counts. */
export function learnLimit(limit: Limit, { callers, inTime, carries }: Load): Limit {
  if (inTime >= SMOOTH) {
    const holds = Math.max(limit.holds, callers);
    return { holds, breaksAt: limit.breaksAt !== null && limit.breaksAt > holds ? limit.breaksAt : null };
  }
  if (inTime >= BROKEN) return limit;
  const breaksAt = Math.max(1, Math.min(callers, Math.round(carries)));
  return { holds: limit.holds < breaksAt ? limit.holds : 0, breaksAt };
}
