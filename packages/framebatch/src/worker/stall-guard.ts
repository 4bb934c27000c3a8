import type { Timer } from "../store/host-timer.js";

/** Aborts a transfer when nothing has come for so long. */
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
    const stop = this.#timer.schedule(this.#timer.now() + timeoutMs, () =>
      this.#controller.abort(this.#stalled(timeoutMs)),
    );
    try {
      return await step;
    } finally {
      stop();
    }
  }

  cancel(): void {
    this.#controller.abort();
  }
}
