import type { Cancel, Clock } from "./clock.js";
import { type Guard, nobody } from "./guard.js";

/** A clock whose callbacks run under a guard. Setting one up may throw still: the caller is under a guard of its own. */
export function guardedClock(clock: Clock, guard: Guard, recover: (error: Error) => number): Clock {
  const guarded = (callback: () => void) => () => guard.run(callback, recover);
  const quiet = (cancel: Cancel) => () => guard.run(cancel, nobody);
  return {
    now: () => clock.now(),
    schedule: (atMs, callback) => quiet(clock.schedule(atMs, guarded(callback))),
    afterTask: (callback) => quiet(clock.afterTask(guarded(callback))),
    afterMicrotasks: (callback) => quiet(clock.afterMicrotasks(guarded(callback))),
  };
}
