import type { Cancel, Clock } from "@framebatch/host/clock.js";

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
  readonly #clock: Clock;
  readonly #count: () => number;
  readonly #onEnd: () => void;
  #cancel: Cancel | null = null;
  #before = 0;
  #left = QUIET_TURNS;

  /**
   * @param count returns the number of requests so far, or `Infinity` when no other is expected
   * @param onEnd called at the end of each wait that is not cancelled
   */
  constructor(clock: Clock, count: () => number, onEnd: () => void) {
    this.#clock = clock;
    this.#count = count;
    this.#onEnd = onEnd;
  }

  get isUnderWay(): boolean {
    return this.#cancel !== null;
  }

  /** Begins a wait, unless one is under way. */
  start(): void {
    if (this.#cancel !== null) return;
    this.#before = this.#count();
    this.#left = QUIET_TURNS;
    this.#cancel = this.#clock.afterMicrotasks(this.#turn);
  }

  cancel(): void {
    this.#cancel?.();
    this.#cancel = null;
  }

  /** Returns whether to wait for another turn. */
  readonly #turn = (): boolean => {
    const now = this.#count();
    this.#left = now > this.#before ? QUIET_TURNS : this.#left - 1;
    this.#before = now;
    if (now !== Infinity && this.#left > 0) return true;
    this.#cancel = null;
    this.#onEnd();
    return false;
  };
}
