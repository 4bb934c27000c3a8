import type { Timer } from "@framebatch/host/host-timer.js";
import { Watchdog } from "@framebatch/host/watchdog.js";

/**
 * Aborts a transfer when nothing arrives for the timeout. Time in which this thread was blocked does not count, because
 * bytes may have arrived during it.
 */
export class StallGuard {
  readonly #controller = new AbortController();
  readonly #timer: Timer;
  readonly #stalled: (timeoutMs: number) => Error;

  constructor(timer: Timer, stalled: (timeoutMs: number) => Error) {
    this.#timer = timer;
    this.#stalled = stalled;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  async watch<T>(step: Promise<T>, timeoutMs: number): Promise<T> {
    const stall = new Watchdog(this.#timer, timeoutMs, () => this.#controller.abort(this.#stalled(timeoutMs)));
    try {
      return await step;
    } finally {
      stall.stop();
    }
  }

  cancel(): void {
    this.#controller.abort();
  }
}
