import type { Clock } from "../../core/clock.js";
import { afterMicrotask } from "../../core/microtask.js";
import { hostTimer } from "../../time/host-timer.js";

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
