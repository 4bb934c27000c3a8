/** The wait is cut into so many ticks. */
const TICKS = 5;

/**
 * Calls back once nothing has happened for so long. Counts ticks and not time: a page that was frozen or asleep misses
 * ticks, so that the time it lost is not held against anyone.
 */
export class StallTimer {
  readonly #tickMs: number;
  readonly #onStall: () => void;
  #timer: ReturnType<typeof setInterval> | undefined;
  #ticksLeft = TICKS;

  constructor(timeoutMs: number, onStall: () => void) {
    this.#tickMs = timeoutMs / TICKS;
    this.#onStall = onStall;
    this.restart();
  }

  /** The wait begins anew, and whole: ticks that went on as before would make it up to a tick shorter. */
  restart(): void {
    this.stop();
    this.#ticksLeft = TICKS;
    this.#timer = setInterval(() => this.#tick(), this.#tickMs);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #tick(): void {
    this.#ticksLeft -= 1;
    if (this.#ticksLeft > 0) return;
    this.stop();
    this.#onStall();
  }
}
