import type { Timer } from "../../time/host-timer.js";

/**
 * Lets one call into ONNX Runtime run at a time: two at once on WebGPU block the worker for ever.
 *
 * The tail never rejects, so a task that fails fails alone.
 */
export class OrtLock {
  #tail: Promise<unknown> = Promise.resolve();

  /** Runs `task` after every task given before it has settled; settles as `task` does. */
  run<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#tail.then(task);
    this.#tail = result.catch(() => undefined);
    return result;
  }
}

/** Nobody has asked for anything for so long, in milliseconds: nobody is then likely to ask within the next run. */
const QUIET_MS = 100;

/**
 * Lets work that nobody waits for run while nobody asks for anything. It holds the lock for one run at a time, so whoever asks
 * meanwhile waits for that run at most.
 */
export class SpareTime {
  readonly #lock: OrtLock;
  readonly #timer: Timer;
  #open = 0;
  #quietSinceMs = -Infinity;
  /** Wakes the work that waits until what was asked for has been answered. */
  #wake: () => void = () => undefined;

  constructor(lock: OrtLock, timer: Timer) {
    this.#lock = lock;
    this.#timer = timer;
  }

  /** Runs what somebody waits for. */
  async asked<T>(task: () => Promise<T>): Promise<T> {
    this.#open += 1;
    try {
      return await this.#lock.run(task);
    } finally {
      this.#open -= 1;
      this.#quietSinceMs = this.#timer.now();
      if (this.#open === 0) this.#wake();
    }
  }

  /** Runs what nobody waits for, once it is quiet. One call at a time. */
  async run<T>(task: () => Promise<T>): Promise<T> {
    for (;;) {
      const atMs = this.#quietSinceMs + QUIET_MS;
      if (this.#open > 0) await new Promise<void>((resolve) => (this.#wake = resolve));
      else if (this.#timer.now() < atMs) await new Promise<void>((resolve) => this.#timer.schedule(atMs, resolve));
      else return this.#lock.run(task);
    }
  }
}
