import type { Clock } from "./clock.js";
import { hostTimer } from "./host-timer.js";

const settled = Promise.resolve();

/** The host's time. Microtasks come from a promise, see `afterMicrotask`. */
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
