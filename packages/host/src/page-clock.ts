import type { Clock } from "./clock.js";
import { settled } from "./microtask.js";
import { hostTimer } from "./host-timer.js";

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
