import { after, type Timer } from "./host-timer.js";

/** Number of ticks in a whole deadline. */
const DEADLINE_TICKS = 20;

/**
 * A time limit for an operation that may never be answered. All steps of the operation share it: the ticks that one
 * step uses are no longer available to the next, so the whole operation ends. Counts ticks instead of elapsed time, as
 * `Watchdog` does: a busy machine delays the ticks together with the replies. One extra tick lets a reply that has
 * arrived be handled first.
 */
export class Deadline {
  readonly #timer: Timer;
  readonly #tickMs: number;
  readonly #who: string;
  #ticksLeft = DEADLINE_TICKS;

  /** @param who does not answer, for the error */
  constructor(ms: number, timer: Timer, who = "IndexedDB") {
    this.#timer = timer;
    this.#who = who;
    this.#tickMs = ms / DEADLINE_TICKS;
  }

  /**
   * Runs one step of the operation.
   *
   * @param extraMs additional time for this step only, in milliseconds, for work that grows with its bytes
   * @throws when the time limit has passed
   */
  async wait<T>(task: () => PromiseLike<T>, extraMs = 0): Promise<T> {
    let extraTicks = Math.ceil(extraMs / this.#tickMs);
    const ticks = this.#ticksLeft + extraTicks;
    let stop = () => {};
    const late = new Promise<never>((_resolve, reject) => {
      const tick = () => {
        if (extraTicks > 0) extraTicks -= 1;
        else if (this.#ticksLeft > 0) this.#ticksLeft -= 1;
        else return reject(new Error(`${this.#who} did not answer within ${Math.round(ticks * this.#tickMs)} ms`));
        stop = after(this.#tickMs, tick, this.#timer);
      };
      stop = after(this.#tickMs, tick, this.#timer);
    });
    try {
      return await Promise.race([task(), late]);
    } finally {
      stop();
    }
  }

  /** Resolves after `ms` milliseconds. The pause does not count against the time limit. */
  pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      after(ms, resolve, this.#timer);
    });
  }
}
