import type { Arrivals } from "./arrivals.js";
import type { Cancel, Clock } from "../clock.js";

/**
 * Number of microtask turns within which an answered caller enqueues again, if it does so at once. A caller in an
 * `async` function needs one, and three more for each `async` function around it.
 */
const TURNS_TO_RETURN = 16;

/** Watches the callers that were just answered, until all of them have enqueued again or no more of them do. */
export class ReturnWatch {
  readonly #clock: Clock;
  readonly #arrivals: Arrivals;
  #cancel: Cancel | null = null;

  constructor(clock: Clock, arrivals: Arrivals) {
    this.#clock = clock;
    this.#arrivals = arrivals;
  }

  /** Starts the watch, after the results were delivered to the callers. */
  start(): void {
    this.#watch(TURNS_TO_RETURN);
  }

  /** Ends the returns of the callers answered last. */
  end(): void {
    this.#cancel?.();
    this.#cancel = null;
    this.#arrivals.endReturns();
  }

  #watch(turns: number): void {
    const { returned } = this.#arrivals;
    this.#cancel?.();
    this.#cancel = this.#clock.afterMicrotasks(() => {
      if (turns === 1 || this.#arrivals.haveReturned) this.end();
      else this.#watch(this.#arrivals.returned > returned ? TURNS_TO_RETURN : turns - 1);
    });
  }
}
