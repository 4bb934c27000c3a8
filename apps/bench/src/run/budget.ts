/** Why a cell has no row. */
export const NO_TIME_LEFT = "no time left";

/** Shares what time is left among the parts that are still to come, by their weights; what one leaves over, the next ones get. */
export class Budget {
  readonly #endMs: number;
  readonly #now: () => number;
  #weightLeft: number;

  /** `now` is in milliseconds, as `totalMs` is; `totalWeight` is that of all parts. */
  constructor(totalMs: number, totalWeight: number, now: () => number) {
    this.#now = now;
    this.#endMs = now() + totalMs;
    this.#weightLeft = totalWeight;
  }

  isSpent(): boolean {
    return this.#now() >= this.#endMs;
  }

  /** Begins the next part, and gives the time at which it should end. */
  nextDeadlineMs(weight: number): number {
    const nowMs = this.#now();
    const shareMs = ((this.#endMs - nowMs) * weight) / Math.max(weight, this.#weightLeft);
    this.#weightLeft -= weight;
    return nowMs + shareMs;
  }

  /** Passes a part by. */
  skip(weight: number): void {
    this.#weightLeft -= weight;
  }
}
