import type { Cancel, Clock } from "../clock.js";

/**
 * Waits in turns of the microtask queue until `count` returns `Infinity`, or does not grow for `turns` turns.
 *
 * @param onEnd called with the last count
 * @returns a function that ends the wait without a call
 */
export function whenQuiet(clock: Clock, turns: number, count: () => number, onEnd: (count: number) => void): Cancel {
  let cancel: Cancel = () => undefined;
  const wait = (left: number): void => {
    const before = count();
    cancel = clock.afterMicrotasks(() => {
      const now = count();
      if (now === Infinity || (now <= before && left === 1)) onEnd(now);
      else wait(now > before ? turns : left - 1);
    });
  };
  wait(turns);
  return () => cancel();
}
