/** A batch that one way has answered. Times are in milliseconds, on one clock. */
export interface AnsweredBatch {
  readonly items: number;
  readonly sentAtMs: number;
  readonly answeredAtMs: number;
}

/** A way is cold at first: its memory has left the processor's caches, and its threads sleep or share one processor. */
const SETTLING_MS = 20;

/** Time that a stretch must take, after it has settled, and its minimum number of batches. */
const WHOLE = { ms: 40, batches: 2 };

/** A longer pause between batches, in milliseconds, is the user's. A shorter one is the page's work, which takes processors. */
const PAGE_WORK_MS = 4;

/**
 * Batches that the page has answered one after the other on one way. Its time for each item is what the page's visitor
 * feels: with the page's own work, and with what the way's threads take away from that.
 */
export class WayStretch {
  #settledAtMs: number | null;
  #lastMs = -Infinity;
  #takenMs = 0;
  #items = 0;
  #batches = 0;

  /** @param isWarm whether the way has run the batches before this stretch, too */
  constructor(isWarm: boolean) {
    this.#settledAtMs = isWarm ? -Infinity : null;
  }

  add({ items, sentAtMs, answeredAtMs }: AnsweredBatch): void {
    const sinceMs = sentAtMs - this.#lastMs > PAGE_WORK_MS ? sentAtMs : this.#lastMs;
    this.#lastMs = answeredAtMs;
    const isSettled = this.#settledAtMs !== null && answeredAtMs > this.#settledAtMs;
    this.#settledAtMs ??= sentAtMs + SETTLING_MS;
    if (!isSettled) return;
    this.#takenMs += answeredAtMs - sinceMs;
    this.#items += items;
    this.#batches += 1;
  }

  get isWhole(): boolean {
    return this.#takenMs >= WHOLE.ms && this.#batches >= WHOLE.batches;
  }

  /** Time of the page for each item, in milliseconds. */
  get msPerItem(): number {
    return this.#takenMs / this.#items;
  }
}
