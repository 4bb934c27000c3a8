import type { Timer } from "./host-timer.js";

/**
 * How long an errand waits for something that may never answer. All its steps share it: what one has used up, the next
 * lacks, so that the errand as a whole ends in time.
 */
export class Patience {
  readonly #timer: Timer;
  #leftMs: number;

  constructor(ms: number, timer: Timer) {
    this.#leftMs = ms;
    this.#timer = timer;
  }

  /** `extraMs` is what this step may take on top, for work that grows with its bytes. @throws once there is no more patience. */
  async wait<T>(task: () => PromiseLike<T>, extraMs = 0): Promise<T> {
    const startedAtMs = this.#timer.now();
    const untilMs = startedAtMs + Math.max(0, this.#leftMs) + extraMs;
    let stop = () => {};
    const late = new Promise<never>((_resolve, reject) => {
      stop = this.#timer.schedule(untilMs, () =>
        reject(new Error(`IndexedDB did not answer within ${Math.round(untilMs - startedAtMs)} ms`)),
      );
    });
    try {
      return await Promise.race([task(), late]);
    } finally {
      stop();
      this.#leftMs -= Math.max(0, this.#timer.now() - startedAtMs - extraMs);
    }
  }

  /** Lets time pass that nobody is to blame for. */
  pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.#timer.schedule(this.#timer.now() + ms, resolve);
    });
  }
}
