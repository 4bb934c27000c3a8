import type { Arrivals } from "./arrivals.js";
import type { Cancel, Clock } from "../clock.js";
import { whenQuiet } from "./quiet-turns.js";

/**
 * Watches the callers that were just answered. The watch ends when all of them have enqueued again, or when no further
 * caller enqueues for some turns.
 */
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
    this.#cancel?.();
    const returned = () => (this.#arrivals.haveReturned ? Infinity : this.#arrivals.returned);
    this.#cancel = whenQuiet(this.#clock, returned, () => this.end());
  }

  /** Ends the returns of the callers answered last. */
  end(): void {
    this.#cancel?.();
    this.#cancel = null;
    this.#arrivals.endReturns();
  }
}
