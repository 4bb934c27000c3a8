import type { Cancel, Clock } from "../clock.js";

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
    if (this.#cancel === null) this.#turn(QUIET_TURNS);
  }

  cancel(): void {
    this.#cancel?.();
    this.#cancel = null;
  }

  #turn(left: number): void {
    const before = this.#count();
    this.#cancel = this.#clock.afterMicrotasks(() => {
      const now = this.#count();
      if (now > before && now !== Infinity) return this.#turn(QUIET_TURNS);
      if (now !== Infinity && left > 1) return this.#turn(left - 1);
      this.#cancel = null;
      this.#onEnd();
    });
  }
}
