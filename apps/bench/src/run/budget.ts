/** Why a cell has no row. */
export const NO_TIME_LEFT = "no time left";

/** Shares what time is left fairly among the parts that are still to come; what one leaves over, the next ones get. */
export class Budget {
  readonly #endMs: number;
  readonly #now: () => number;
  #partsLeft: number;

  /** `now` is in milliseconds, as `totalMs` is. */
  constructor(totalMs: number, parts: number, now: () => number) {
    this.#now = now;
    this.#endMs = now() + totalMs;
    this.#partsLeft = parts;
  }

  isSpent(): boolean {
    return this.#now() >= this.#endMs;
  }

  /** Begins the next part, and gives the time at which it should end. */
  nextDeadlineMs(): number {
    const nowMs = this.#now();
    const shareMs = (this.#endMs - nowMs) / Math.max(1, this.#partsLeft);
    this.#partsLeft--;
    return nowMs + shareMs;
  }

  /** Passes parts by. */
  skip(parts: number): void {
    this.#partsLeft -= parts;
  }
}
