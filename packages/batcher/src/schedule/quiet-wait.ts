import type { Cancel, Clock } from "@framebatch/host/clock.js";
import { type Guard, rejectNone } from "../errors/guard.js";

/**
 * Number of microtask turns without another request after which no other is expected in this task. A caller in an
 * `async` function that has been answered needs one to enqueue again, and three more for each `async` function around
 * it.
 */
const QUIET_TURNS = 16;

/**
 * Waits in turns of the microtask queue until a count is `Infinity`, or does not grow for `QUIET_TURNS` turns. Callers
 * that depend on each other's microtasks arrive one by one. At most one wait is under way.
 */
export class QuietWait {
  /** The end of the wait that is under way; `null` if none is. Only this class changes it. */
  underWay: Cancel | null = null;
  readonly #clock: Clock;
  readonly #guard: Guard;
  readonly #recover: (error: Error) => number;
  readonly #count: () => number;
  readonly #onEnd: () => void;
  #before = 0;
  #left = QUIET_TURNS;

  /**
   * @param recover rejects every request that depends on a wait, after `count`, `onEnd` or the clock has thrown in it
   * @param count returns the number of requests so far, or `Infinity` when no other is expected
   * @param onEnd called at the end of each wait that is not cancelled
   */
  constructor(clock: Clock, guard: Guard, recover: (error: Error) => number, count: () => number, onEnd: () => void) {
    this.#clock = clock;
    this.#guard = guard;
    this.#recover = recover;
    this.#count = count;
    this.#onEnd = onEnd;
  }

  /** Begins a wait, unless one is under way. */
  start(): void {
    if (this.underWay !== null) return;
    this.#before = this.#count();
    this.#left = QUIET_TURNS;
    this.underWay = this.#clock.afterMicrotasks(this.#turn);
  }

  cancel(): void {
    const cancel = this.underWay;
    if (cancel === null) return;
    this.underWay = null;
    try {
      cancel();
    } catch (thrown) {
      this.#guard.caught(thrown, rejectNone);
    }
  }

  /** Returns whether to wait for another turn. */
  readonly #turn = (): boolean => {
    try {
      const now = this.#count();
      this.#left = now > this.#before ? QUIET_TURNS : this.#left - 1;
      this.#before = now;
      if (now !== Infinity && this.#left > 0) return true;
      this.underWay = null;
      this.#onEnd();
    } catch (thrown) {
      this.#guard.caught(thrown, this.#recover);
    }
    return false;
  };
}
