import type { Clock } from "../core/clock.js";

/** The part of a clock that waiting needs, so that a test owns time. */
export type Timer = Pick<Clock, "now" | "schedule">;

export const hostTimer: Timer = {
  now: () => performance.now(),
  schedule(atMs, callback) {
    const timer = setTimeout(callback, Math.max(0, atMs - performance.now()));
    return () => clearTimeout(timer);
  },
};
