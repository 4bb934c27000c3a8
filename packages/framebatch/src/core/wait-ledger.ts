/** Share of a new wait in the average of joins per wait. */
const STEP = 1 / 8;

/** Average joins per wait at which a wait has its full length, and below which there is none. */
const FULL_AT = 1 / 8;
const NONE_BELOW = 1 / 32;

/** With waiting given up, one chance in so many is tried, and fewer the longer nobody joins. */
const FIRST_RETRY_AFTER = 32;
const LAST_RETRY_AFTER = 512;

/**
 * Makes waiting earn itself. It keeps the average number of requests that joined a batch while it waited: waits that
 * nobody joins grow shorter and then stop, and are tried again now and then.
 */
export class WaitLedger {
  #joinsPerWait = 0.15;
  #retryAfter = FIRST_RETRY_AFTER;
  #chancesPassed = 0;

  /** The share of a free wait to take now, 0 to 1. */
  patience(): number {
    if (this.#joinsPerWait >= FULL_AT) return 1;
    if (this.#joinsPerWait >= NONE_BELOW) return this.#joinsPerWait / FULL_AT;
    return this.#chancesPassed >= this.#retryAfter ? 1 : 0;
  }

  /** A batch left that could have waited, but did not for want of patience. */
  passed(): void {
    this.#chancesPassed += 1;
  }

  /** A wait ended; so many joined during it. */
  waited(joins: number): void {
    const wasRetry = this.#joinsPerWait < NONE_BELOW;
    this.#joinsPerWait += STEP * (Math.min(joins, 2) - this.#joinsPerWait);
    this.#chancesPassed = 0;
    if (joins > 0) this.#retryAfter = FIRST_RETRY_AFTER;
    else if (wasRetry) this.#retryAfter = Math.min(LAST_RETRY_AFTER, this.#retryAfter * 2);
  }
}
