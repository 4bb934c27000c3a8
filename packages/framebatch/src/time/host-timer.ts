import type { Cancel, Clock } from "../core/clock.js";

/** The part of a clock that waiting needs, so that a test owns time. */
export type Timer = Pick<Clock, "now" | "schedule">;

/** Hosts keep a timer's delay in 32 bits: one that is longer than this, some 24 days, would fire at once. */
const LONGEST_DELAY_MS = 2 ** 31 - 1;

/** The host's own time. Globals are read when they are needed, so that a test may replace them, and import touches none. */
export const hostTimer: Timer = {
  now: () => performance.now(),
  schedule(atMs, callback): Cancel {
    let timer: ReturnType<typeof setTimeout>;
    function arm(): void {
      const delayMs = Math.max(0, atMs - performance.now());
      timer = delayMs <= LONGEST_DELAY_MS ? setTimeout(callback, delayMs) : setTimeout(arm, LONGEST_DELAY_MS);
    }
    arm();
    return () => clearTimeout(timer);
  },
};

/** Calls back after `delayMs`, in milliseconds. */
export function after(delayMs: number, callback: () => void, timer: Timer = hostTimer): Cancel {
  return timer.schedule(timer.now() + delayMs, callback);
}
