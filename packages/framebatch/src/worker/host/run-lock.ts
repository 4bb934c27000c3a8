import type { Timer } from "../../time/host-timer.js";

/**
 * Runs one call into ONNX Runtime at a time: two at once on WebGPU block the worker forever.
 *
 * The tail never rejects, so a task that fails does not affect the next one.
 */
export class OrtLock {
  #tail: Promise<unknown> = Promise.resolve();

  /** Runs `task` when all earlier tasks have settled. Settles as `task` does. */
  run<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#tail.then(task);
    this.#tail = result.catch(() => undefined);
    return result;
  }
}

/**
 * Time without requests after which the worker is idle, in milliseconds: a request in the next run is then unlikely.
 */
const QUIET_MS = 100;

/**
 * Runs background work while the worker is idle. Background work holds the lock for one run at a time, so a request
 * that arrives in the meantime waits for at most that run.
 */
export class SpareTime {
  readonly #lock: OrtLock;
  readonly #timer: Timer;
  #open = 0;
  #quietSinceMs = -Infinity;
  /** Wakes the background work that waits for the pending requests to end. */
  #wake: () => void = () => undefined;

  constructor(lock: OrtLock, timer: Timer) {
    this.#lock = lock;
    this.#timer = timer;
  }

  /** Runs a task that a caller waits for. */
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

  /** Runs a background task when the worker is idle. Make one call at a time. */
  async run<T>(task: () => Promise<T>): Promise<T> {
    for (;;) {
      const atMs = this.#quietSinceMs + QUIET_MS;
      if (this.#open > 0) await new Promise<void>((resolve) => (this.#wake = resolve));
      else if (this.#timer.now() < atMs) await new Promise<void>((resolve) => this.#timer.schedule(atMs, resolve));
      else return this.#lock.run(task);
    }
  }
}
