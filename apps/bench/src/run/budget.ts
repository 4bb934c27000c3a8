/** The reason for cells without a row. */
export const NO_TIME_LEFT = "no time left";

/**
 * Divides the remaining time among the remaining parts by their weights. Time that a part does not use goes to later
 * parts.
 */
export class Budget {
  readonly #endMs: number;
  readonly #now: () => number;
  #weightLeft: number;

  /**
   * @param totalMs the total time, in ms
   * @param totalWeight the sum of the weights of all parts
   * @param now the clock, in ms
   */
  constructor(totalMs: number, totalWeight: number, now: () => number) {
    this.#now = now;
    this.#endMs = now() + totalMs;
    this.#weightLeft = totalWeight;
  }

  isSpent(): boolean {
    return this.#now() >= this.#endMs;
  }

  /** Starts the next part and returns its deadline, in ms. */
  nextDeadlineMs(weight: number): number {
    const nowMs = this.#now();
    const shareMs = ((this.#endMs - nowMs) * weight) / Math.max(weight, this.#weightLeft);
    this.#weightLeft -= weight;
    return nowMs + shareMs;
  }

  /** Skips a part. */
  skip(weight: number): void {
    this.#weightLeft -= weight;
  }
}
