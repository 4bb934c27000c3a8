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

/** The slowest part does not count: a collection of garbage or another process stalls it. So fewer parts tell nothing. */
const LEAST_PARTS = 3;

/**
 * Time of the parts of a whole stretch, in milliseconds. The page takes processors from a way's threads in about one part
 * in ten, which then takes twice as long or longer. The visitor feels that, so it must average out.
 */
const WHOLE_MS = 300;

/**
 * A new worker's code is not optimized yet: `mlp-784` takes thirty times as long for its first 20 ms, and is as fast as it
 * gets after 0.2 s. So its first stretch begins again with each part that takes less than this share of the best one before,
 * and tells nothing until it has lasted for a while.
 */
const FASTER = { share: 0.9, quietMs: 80 };

/** A longer pause between batches, in milliseconds, is the user's. A shorter one is the page's work, which takes processors. */
const PAGE_WORK_MS = 4;

/** What a way has done before a stretch: it has run the last batches, it has rested, or it has hardly run at all. */
export type WayBefore = "ran" | "rested" | "new";

/** Some batches. `ms`: what they took, with the page's work between them, in milliseconds. */
interface Part {
  readonly items: number;
  readonly ms: number;
}

const NOTHING: Part = { items: 0, ms: 0 };

/**
 * Batches that the page has answered one after the other on one way. Its time for each item is what the page's visitor
 * feels: with the page's own work, and with what the way's threads take away from that. One stall does not count.
 */
export class WayStretch {
  readonly #parts: Part[] = [];
  readonly #isNew: boolean;
  #part = NOTHING;
  #settledAtMs: number | null;
  #lastMs = -Infinity;
  #tookMs = 0;
  #bestMsPerItem = Infinity;

  constructor(before: WayBefore) {
    this.#settledAtMs = before === "ran" ? -Infinity : null;
    this.#isNew = before === "new";
  }

  add({ items, sentAtMs, answeredAtMs }: AnsweredBatch): void {
    const sinceMs = sentAtMs - this.#lastMs > PAGE_WORK_MS ? sentAtMs : this.#lastMs;
    this.#lastMs = answeredAtMs;
    const isSettled = this.#settledAtMs !== null && answeredAtMs > this.#settledAtMs;
    this.#settledAtMs ??= sentAtMs + SETTLING_MS;
    const batch = { items, ms: answeredAtMs - sinceMs };
    this.#tookMs += batch.ms;
    if (!isSettled) return;
    this.#part = together([this.#part, batch]);
    if (this.#part.ms >= PART_MS) this.#endPart();
  }

  /** Whether the time for each item is known well enough to tell a way that is plainly slow. */
  get isTelling(): boolean {
    return this.#parts.length >= LEAST_PARTS && (!this.#isNew || this.countedMs >= FASTER.quietMs);
  }

  get isWhole(): boolean {
    return this.isTelling && this.countedMs >= WHOLE_MS;
  }

  /** Time of the parts, in milliseconds. */
  get countedMs(): number {
    return together(this.#parts).ms;
  }

  /** Time of all batches since the way, if it was new, is as fast as it gets, in milliseconds. */
  get tookMs(): number {
    return this.#tookMs;
  }

  /** Time of the page for each item, in milliseconds. */
  get msPerItem(): number {
    return msPerItem(together(this.#parts.toSorted((a, b) => msPerItem(a) - msPerItem(b)).slice(0, -1)));
  }

  #endPart(): void {
    const part = this.#part;
    this.#part = NOTHING;
    if (this.#isNew && msPerItem(part) < FASTER.share * this.#bestMsPerItem) this.#forget(part);
    this.#bestMsPerItem = Math.min(this.#bestMsPerItem, msPerItem(part));
    this.#parts.push(part);
  }

  /** Forgets what came before a part that is faster. */
  #forget(part: Part): void {
    this.#parts.length = 0;
    this.#tookMs = part.ms;
  }
}

function msPerItem({ ms, items }: Part): number {
  return ms / items;
}

function together(parts: readonly Part[]): Part {
  return parts.reduce((sum, { items, ms }) => ({ items: sum.items + items, ms: sum.ms + ms }), NOTHING);
}
