/** A request has come of age when it has waited this long, in milliseconds. */
export const COMING_OF_AGE_MS = 1000;

/** Of so many batches in a row, at least one is led by the request that has waited longest, once that is of age. */
export const BATCHES_PER_AGED = 8;

/**
 * Keeps endless urgent load from starving the rest: with every batch that somebody else leads, the request that has
 * waited longest earns an eighth of a turn; with a whole turn, and of age, it leads the next batch.
 *
 * Bound: once a request has come of age with k older ones in the queue, it rides at the latest in the 8 * (k + 1)-th
 * batch from then on, whatever arrives.
 */
export class Ageing {
  #passedOver = 0;

  /** Whether the request that has waited longest leads the next batch if it is of age. */
  get isDue(): boolean {
    return this.#passedOver >= BATCHES_PER_AGED - 1;
  }

  /** Counts a batch that leaves. */
  batchLeft(ledByOldest: boolean): void {
    this.#passedOver = ledByOldest ? 0 : this.#passedOver + 1;
  }
}
