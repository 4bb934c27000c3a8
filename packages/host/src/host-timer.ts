import type { Cancel, Clock, Timer } from "./clock.js";
import { settled } from "./microtask.js";

export type { Timer };

/** Maximum delay of a host timer, about 24 days. Hosts store the delay in 32 bits; a longer one would fire at once. */
const MAX_DELAY_MS = 2 ** 31 - 1;

/**
 * The host's own timer. Hosts count in whole milliseconds, drop the rest, and can therefore ring early: the delay is
 * rounded up, and a timer that rings early is set again. Reads globals at each call: tests can replace them, and
 * importing this module touches none.
 */
export const hostTimer: Timer = {
  now: () => performance.now(),
  schedule(atMs, callback): Cancel {
    let timer: ReturnType<typeof setTimeout>;
    function arm(): void {
      const delayMs = Math.ceil(Math.max(0, atMs - performance.now()));
      timer = setTimeout(ring, Math.min(delayMs, MAX_DELAY_MS));
    }
    function ring(): void {
      if (performance.now() < atMs) arm();
      else callback();
    }
    arm();
    return () => clearTimeout(timer);
  },
};

/** Calls `callback` after `delayMs` milliseconds. */
export function after(delayMs: number, callback: () => void, timer: Timer = hostTimer): Cancel {
  return timer.schedule(timer.now() + delayMs, callback);
}

/** The host's time. */
export const pageClock: Clock = {
  ...hostTimer,
  afterMicrotasks(callback) {
    let isCancelled = false;
    // One closure for all turns: a wait for the end of a burst takes many.
    function turn(): void {
      if (!isCancelled && callback() === true) void settled.then(turn);
    }
    void settled.then(turn);
    return () => {
      isCancelled = true;
    };
  },
};
