/** A batch that one way has answered. Times are in milliseconds, on one clock. */
export interface AnsweredBatch {
  readonly items: number;
  readonly sentAtMs: number;
  readonly answeredAtMs: number;
}

/** A way is cold at first: its memory has left the processor's caches, and its threads sleep or share one processor. */
const SETTLING_MS = 20;

/** Least time of a part, in milliseconds. The steady costs of a way, such as waking its threads, average out in it. */
const PART_MS = 15;

/** The last parts of a stretch that count, but for the slowest: a collection of garbage or another process stalls one. */
const COUNTED_PARTS = 3;

/**
 * A new worker's code is not optimized yet: `mlp-784` takes thirty times as long for its first 20 ms, and is as fast as it gets after
 * 0.2 s. So its first stretch lasts until no part has been below this share of the best one before for this time.
 */
const STEADY = { share: 0.9, ms: 80 };

/** A longer pause between batches, in milliseconds, is the user's. A shorter one is the page's work, which takes processors. */
const PAGE_WORK_MS = 4;

/** What a way has done before a stretch: it has run the last batches, it has rested, or it has hardly run at all. */
export type WayBefore = "ran" | "rested" | "new";

/** Some batches. `ms`: what they took, with the page's work between them, in milliseconds. */
interface Part {
  readonly items: number;
  readonly ms: number;
}

/**
 * Batches that the page has answered one after the other on one way. Its time for each item is what the page's visitor
 * feels: with the page's own work, and with what the way's threads take away from that. One stall does not count.
 */
export class WayStretch {
  readonly #mustBeSteady: boolean;
  readonly #parts: Part[] = [];
  #part: Part = { items: 0, ms: 0 };
  #settledAtMs: number | null;
  #lastMs = -Infinity;
  #bestMsPerItem = Infinity;
  /** Time since the way last became faster, in milliseconds. */
  #steadyMs = 0;

  constructor(before: WayBefore) {
    this.#settledAtMs = before === "ran" ? -Infinity : null;
    this.#mustBeSteady = before === "new";
  }

  add({ items, sentAtMs, answeredAtMs }: AnsweredBatch): void {
    const sinceMs = sentAtMs - this.#lastMs > PAGE_WORK_MS ? sentAtMs : this.#lastMs;
    this.#lastMs = answeredAtMs;
    const isSettled = this.#settledAtMs !== null && answeredAtMs > this.#settledAtMs;
    this.#settledAtMs ??= sentAtMs + SETTLING_MS;
    if (!isSettled) return;
    this.#part = { items: this.#part.items + items, ms: this.#part.ms + answeredAtMs - sinceMs };
    if (this.#part.ms >= PART_MS) this.#endPart();
  }

  get isWhole(): boolean {
    return this.#parts.length >= COUNTED_PARTS && (!this.#mustBeSteady || this.#steadyMs >= STEADY.ms);
  }

  /** Time of the page for each item, in milliseconds. */
  get msPerItem(): number {
    const counted = this.#parts.slice(-COUNTED_PARTS).toSorted((a, b) => msPerItem(a) - msPerItem(b));
    return msPerItem(together(counted.slice(0, -1)));
  }

  /** Time of the parts before those that count, in milliseconds. */
  get warmingMs(): number {
    return together(this.#parts.slice(0, -COUNTED_PARTS)).ms;
  }

  #endPart(): void {
    const partMs = msPerItem(this.#part);
    this.#steadyMs = partMs < STEADY.share * this.#bestMsPerItem ? 0 : this.#steadyMs + this.#part.ms;
    this.#bestMsPerItem = Math.min(this.#bestMsPerItem, partMs);
    this.#parts.push(this.#part);
    this.#part = { items: 0, ms: 0 };
  }
}

function msPerItem({ ms, items }: Part): number {
  return ms / items;
}

function together(parts: readonly Part[]): Part {
  return parts.reduce((sum, { items, ms }) => ({ items: sum.items + items, ms: sum.ms + ms }), { items: 0, ms: 0 });
}
