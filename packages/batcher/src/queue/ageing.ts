/** A request counts as aged when it has waited this long, in milliseconds. */
export const AGED_AFTER_MS = 1000;

/** In any sequence of this many batches, the oldest request leads at least one, once it is aged. */
export const BATCHES_PER_AGED = 8;

/**
 * Prevents a continuous load of urgent requests from starving the rest. The oldest request earns an eighth of a turn
 * with every batch that another request leads. With a whole turn, it leads the next batch if it is aged.
 *
 * Bound: a request that becomes aged while k older ones are queued is dispatched no later than batch 8 * (k + 1) from
 * then on, whatever arrives.
 */
export class Ageing {
  /** Number of batches since the oldest request last led one. Only this class changes it. */
  passedOver = 0;

  /** Whether the oldest request leads the next batch if it is aged. */
  get isDue(): boolean {
    return this.passedOver >= BATCHES_PER_AGED - 1;
  }

  /** Counts a dispatched batch. */
  batchDispatched(ledByOldest: boolean): void {
    this.passedOver = ledByOldest ? 0 : this.passedOver + 1;
  }
}
