import type { Cancel, Clock, FrameClock } from "./clock.js";

/**
 * Hears of everything that was thrown where nothing may throw: in a callback, a clock, an engine, or the batcher itself.
 * `rejected` tells how many requests reject because of it; 0 where nobody else hears of it.
 */
export type ErrorListener = (error: Error, rejected: number) => void;

/**
 * Where exceptions end. Each seam between the batcher and its surroundings (a scheduling pass, the end of a run, a delivery, an
 * admission) runs under the guard: what it throws is recovered from and reported, and whatever comes next goes on.
 */
export class Guard {
  readonly #onError: ErrorListener | undefined;

  constructor(onError: ErrorListener | undefined) {
    this.#onError = onError;
  }

  /** @param recover as in `caught` */
  run(work: () => void, recover: (error: Error) => number): void {
    try {
      work();
    } catch (thrown) {
      this.caught(thrown, recover);
    }
  }

  /** @param recover rejects every request that the exception left without an outcome, and returns how many; it may throw itself */
  caught(thrown: unknown, recover: (error: Error) => number): void {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown), { cause: thrown });
    let rejected = 0;
    try {
      rejected = recover(error);
    } catch (another) {
      this.caught(another, nobody);
    }
    try {
      this.#onError?.(error, rejected);
    } catch {
      // The listener for errors has failed: nobody is left to tell.
    }
  }
}

/** Recovers from what left no request without an outcome. */
export function nobody(): number {
  return 0;
}

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

/** What the tab's visibility throws is reported, and stops nothing: timers alone are enough, though late in a hidden tab. */
export function guardedVisibility(frames: FrameClock, guard: Guard): Pick<FrameClock, "onVisibilityChange"> {
  return {
    onVisibilityChange(callback) {
      let cancel: Cancel = () => undefined;
      guard.run(() => {
        cancel = frames.onVisibilityChange(callback);
      }, nobody);
      return () => guard.run(cancel, nobody);
    },
  };
}
