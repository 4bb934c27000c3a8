import { after, type Timer } from "./host-timer.js";

/** A whole patience has so many ticks. */
const TICKS = 20;

/**
 * How long an errand waits for something that may never answer. All its steps share it: the ticks that one step has used, the
 * next lacks, so that the errand as a whole ends. It counts ticks and not time, as `Watchdog` does: a busy machine delays the
 * ticks along with the answers, and one tick more than the wait has lets an answer be heard first.
 */
export class Deadline {
  readonly #timer: Timer;
  readonly #tickMs: number;
  #ticksLeft = TICKS;

  constructor(ms: number, timer: Timer) {
    this.#timer = timer;
    this.#tickMs = ms / TICKS;
  }

  /** `extraMs` is what this step may take on top, for work that grows with its bytes. @throws once there is no more patience. */
  async wait<T>(task: () => PromiseLike<T>, extraMs = 0): Promise<T> {
    let extraTicks = Math.ceil(extraMs / this.#tickMs);
    const ticks = this.#ticksLeft + extraTicks;
    let stop = () => {};
    const late = new Promise<never>((_resolve, reject) => {
      const tick = () => {
        if (extraTicks > 0) extraTicks -= 1;
        else if (this.#ticksLeft > 0) this.#ticksLeft -= 1;
        else return reject(new Error(`IndexedDB did not answer within ${Math.round(ticks * this.#tickMs)} ms`));
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

  /** Lets time pass that nobody is to blame for. */
  pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      after(ms, resolve, this.#timer);
    });
  }
}
