import type { Clock } from "./clock.js";
import { afterMicrotask } from "./microtask.js";
import { hostTimer } from "./host-timer.js";

/** The host's time. A microtask comes from a promise: in Chromium, `queueMicrotask` takes ten times as long. */
export const pageClock: Clock = {
  ...hostTimer,
  afterMicrotasks(callback) {
    let isCancelled = false;
    void afterMicrotask(() => {
      if (!isCancelled) callback();
    });
    return () => {
      isCancelled = true;
    };
  },
};
