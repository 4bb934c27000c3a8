/** The wait is cut into so many ticks. */
const TICKS = 5;

/**
 * Calls back once nothing has happened for so long. Counts ticks and not time: a page that was frozen or asleep misses
 * ticks, so that the time it lost is not held against anyone.
 */
export class StallTimer {
  readonly #timer: ReturnType<typeof setInterval>;
  #ticksLeft = TICKS;

  constructor(timeoutMs: number, onStall: () => void) {
    this.#timer = setInterval(() => {
      this.#ticksLeft -= 1;
      if (this.#ticksLeft > 0) return;
      this.stop();
      onStall();
    }, timeoutMs / TICKS);
  }

  restart(): void {
    this.#ticksLeft = TICKS;
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
