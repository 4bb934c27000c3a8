import type { Timer } from "./host-timer.js";

/** Number of ticks in a timeout. */
const WATCHDOG_TICKS = 10;

/**
 * Calls `onStall` when `restart` has not been called for the timeout. Counts ticks instead of elapsed time: a thread
 * that was blocked, frozen or asleep misses ticks, so the time that it lost does not count. Waits for one extra tick,
 * because the first tick after a block may run before the messages that have arrived during the block.
 */
export class Watchdog {
  readonly #timer: Timer;
  readonly #onStall: (timeoutMs: number) => void;
  #timeoutMs: number;
  #cancel: () => void = () => undefined;

  constructor(timer: Timer, timeoutMs: number, onStall: (timeoutMs: number) => void) {
    this.#timer = timer;
    this.#timeoutMs = timeoutMs;
    this.#onStall = onStall;
    this.restart();
  }

  /** Restarts the full timeout. @param timeoutMs new timeout, in milliseconds; default: the current one */
  restart(timeoutMs: number = this.#timeoutMs): void {
    this.stop();
    this.#timeoutMs = timeoutMs;
    this.#wait(WATCHDOG_TICKS + 1);
  }

  stop(): void {
    this.#cancel();
  }

  #wait(ticks: number): void {
    const atMs = this.#timer.now() + this.#timeoutMs / WATCHDOG_TICKS;
    this.#cancel = this.#timer.schedule(atMs, () => {
      if (ticks > 1) this.#wait(ticks - 1);
      else this.#onStall(this.#timeoutMs);
    });
  }
}
