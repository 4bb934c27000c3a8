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

/**
 * A new worker's code is not optimized yet: `mlp-784` takes thirty times as long for its first 20 ms, and is as fast as it gets after
 * 0.2 s. So its first stretch begins anew after each part that is whole, until so many in a row are not below this share
 * of the best time before. Batches that are so long that the fewest make a part hardly feel it: the first part of them counts.
 */
const STEADY = { parts: 2, share: 0.9 };

/** A longer pause between batches, in milliseconds, is the user's. A shorter one is the page's work, which takes processors. */
const PAGE_WORK_MS = 4;

/** What a way has done before a stretch: it has run the last batches, it has rested, or it has hardly run at all. */
export type WayBefore = "ran" | "rested" | "new";

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
  #bestMsPerItem = Infinity;
  #steadyParts: number;
  #warmingMs = 0;

  constructor(before: WayBefore) {
    this.#settledAtMs = before === "ran" ? -Infinity : null;
    this.#steadyParts = before === "new" ? 0 : STEADY.parts;
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
    if (this.#isLong && !this.#isSteady) this.#endPart();
  }

  get isWhole(): boolean {
    return this.#isLong && this.#isSteady;
  }

  /** Time of the page for each item, in milliseconds. */
  get msPerItem(): number {
    return this.#takenMs / this.#items;
  }

  /** Time of the parts that do not count because the way was new, in milliseconds. */
  get warmingMs(): number {
    return this.#warmingMs;
  }

  get #isLong(): boolean {
    return this.#takenMs >= WHOLE.ms && this.#batches >= WHOLE.batches;
  }

  get #isSteady(): boolean {
    return this.#steadyParts >= STEADY.parts;
  }

  #endPart(): void {
    const isFirst = this.#bestMsPerItem === Infinity;
    const isFaster = this.msPerItem < STEADY.share * this.#bestMsPerItem;
    if (isFirst && this.#batches === WHOLE.batches) this.#steadyParts = STEADY.parts;
    else this.#steadyParts = isFirst || isFaster ? 0 : this.#steadyParts + 1;
    this.#bestMsPerItem = Math.min(this.#bestMsPerItem, this.msPerItem);
    if (this.#isSteady) return;
    this.#warmingMs += this.#takenMs;
    [this.#takenMs, this.#items, this.#batches] = [0, 0, 0];
  }
}
