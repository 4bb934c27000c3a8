import type { Cancel, FrameClock, Timer } from "@framebatch/host/clock.js";
import { asError } from "./errors.js";

/**
 * Receives every exception from code that must not throw: a callback, a clock, an engine, or the batcher itself.
 * `rejected` is the number of requests that reject because of it. If it is 0, this listener is the only one that
 * receives the error.
 */
export type ErrorListener = (error: Error, rejected: number) => void;

/**
 * Catches exceptions at every boundary between the batcher and its surroundings: scheduling, the end of a run, the
 * delivery of a result, and admission. It recovers from each exception and reports it, so that later work is not
 * affected.
 */
export class Guard {
  readonly #onError: ErrorListener | undefined;

  constructor(onError: ErrorListener | undefined) {
    this.#onError = onError;
  }

  /** Runs `work`, and handles what it throws with `caught`. */
  run(work: () => void, recover: (error: Error) => number): void {
    try {
      work();
    } catch (thrown) {
      this.caught(thrown, recover);
    }
  }

  /**
   * Recovers from an exception and reports it.
   * @param recover rejects every request that the exception left without an outcome, and returns their number; may
   * itself throw
   */
  caught(thrown: unknown, recover: (error: Error) => number): void {
    const error = asError(thrown);
    let rejected = 0;
    try {
      rejected = recover(error);
    } catch (another) {
      this.caught(another, rejectNone);
    }
    try {
      this.#onError?.(error, rejected);
    } catch {
      // The error listener itself has failed, so there is nowhere to report this error.
    }
  }
}

/** Recovers from an exception that affects no request, so that none has to reject. */
export function rejectNone(): number {
  return 0;
}

/**
 * Returns a timer whose callbacks run under a guard. Scheduling a callback may still throw, so the caller needs a guard
 * of its own.
 */
export function guardedTimer(timer: Timer, guard: Guard, recover: (error: Error) => number): Timer {
  return {
    now: () => timer.now(),
    schedule(atMs, callback) {
      const cancel = timer.schedule(atMs, () => guard.run(callback, recover));
      return () => guard.run(cancel, rejectNone);
    },
  };
}

/**
 * Returns a visibility source whose exceptions are reported and have no other effect. Without it, timers still work,
 * but fire late in a hidden tab.
 */
export function guardedVisibility(frames: FrameClock, guard: Guard): Pick<FrameClock, "onVisibilityChange"> {
  return {
    onVisibilityChange(callback) {
      let cancel: Cancel = () => undefined;
      guard.run(() => {
        cancel = frames.onVisibilityChange(callback);
      }, rejectNone);
      return () => guard.run(cancel, rejectNone);
    },
  };
}

/** Whether a value is an error, of any realm: one of a frame is no instance of this page's class. */
export function isError(value: unknown): value is Error {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // Nearly all results are such objects, and each is asked.
  if (prototype === Object.prototype || prototype === Array.prototype) return false;
  return value instanceof Error || /^\[object (Error|DOMException)\]$/.test(Object.prototype.toString.call(value));
}
