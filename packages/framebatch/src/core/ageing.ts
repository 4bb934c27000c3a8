/** A request has come of age when it has waited this long, in milliseconds. */
export const COMING_OF_AGE_MS = 1000;

/** One batch in so many may be led by an aged request while more urgent ones wait. */
export const BATCHES_PER_AGED = 8;

/**
 * Keeps endless urgent load from starving the rest. While some request of a lower priority waits, every batch that a
 * more urgent one leads earns it 1/8 of a turn; with a whole turn, the most urgent aged request leads the next batch.
 *
 * Bound: once a request has come of age with k aged requests before it, at most `8 * (k + 1)` further batches leave
 * before its own, whatever arrives.
 */
export class Ageing {
  #turns = 0;

  /** Whether an aged request may lead the next batch. */
  get isDue(): boolean {
    return this.#turns >= 1;
  }

  /** Counts a batch that left. */
  batchLeft(ledByAged: boolean, lowerWait: boolean): void {
    if (ledByAged) this.#turns -= 1;
    else if (lowerWait) this.#turns = Math.min(1, this.#turns + 1 / BATCHES_PER_AGED);
  }
}
