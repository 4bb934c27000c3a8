import type { Timer } from "./host-timer.js";

/** The wait is cut into so many ticks. */
const TICKS = 10;

/**
 * Calls back once nothing has happened for so long. Counts ticks and not time: a thread that was blocked, frozen or asleep misses
 * ticks, so the time that it lost is not counted. One tick more than the wait has: the first tick after a block may come before
 * what has arrived meanwhile is heard.
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

  /** The wait begins anew, and whole. @param timeoutMs from now on */
  restart(timeoutMs: number = this.#timeoutMs): void {
    this.stop();
    this.#timeoutMs = timeoutMs;
    this.#wait(TICKS + 1);
  }

  stop(): void {
    this.#cancel();
  }

  #wait(ticks: number): void {
    const atMs = this.#timer.now() + this.#timeoutMs / TICKS;
    this.#cancel = this.#timer.schedule(atMs, () => {
      if (ticks > 1) this.#wait(ticks - 1);
      else this.#onStall(this.#timeoutMs);
    });
  }
}
