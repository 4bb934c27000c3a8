import type { Cancel, Clock } from "../clock.js";

/**
 * Number of microtask turns without another request after which no other is expected in this task. A caller in an
 * `async` function that has been answered needs one to enqueue again, and three more for each `async` function around
 * it.
 */
const QUIET_TURNS = 16;

/**
 * Waits in turns of the microtask queue until `count` returns `Infinity`, or does not grow for `QUIET_TURNS` turns.
 * @returns a function that ends the wait without a call
 */
export function whenQuiet(clock: Clock, count: () => number, onEnd: () => void): Cancel {
  let cancel: Cancel = () => undefined;
  const wait = (left: number): void => {
    const before = count();
    cancel = clock.afterMicrotasks(() => {
      const now = count();
      if (now === Infinity || (now <= before && left === 1)) onEnd();
      else wait(now > before ? QUIET_TURNS : left - 1);
    });
  };
  wait(QUIET_TURNS);
  return () => cancel();
}
