import type { ManualClock } from "./manual-clock.js";

/** Resolves when `isTrue` is, looked at after each turn of the event loop. */
export async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setImmediate(resolve));
}

/**
 * Advances a clock by `ms` after each turn of the event loop, until the promise settles. A request to a server in this
 * thread takes a few dozen turns.
 */
export async function withClock<T>(clock: ManualClock, ms: number, promise: Promise<T>): Promise<T> {
  let isSettled = false;
  const settled = () => (isSettled = true);
  promise.then(settled, settled);
  await until(() => {
    clock.advanceTo(clock.now() + ms);
    return isSettled;
  });
  return promise;
}
