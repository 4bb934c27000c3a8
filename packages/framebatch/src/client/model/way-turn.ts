/** A way is cold at first: its memory has left the processor's caches, and its threads sleep. */
const SETTLING_MS = 10;

/** Time of the batches of a turn, in milliseconds: steady costs of a way, such as waking its threads, average out in it. */
const TURN_MS = 30;

/** A longer pause between batches, in milliseconds, is the user's. A shorter one is the page's work, which takes processors. */
const PAGE_WORK_MS = 4;

/** Batches that were answered one after the other on one way, and how long an answer took for the page's visitor. */
export class WayTurn {
  readonly #leastMs: number;
  #settledAtMs: number | null = null;
  #lastMs = -Infinity;
  #items = 0;
  #ms = 0;

  /** @param length how many times as long as a usual turn */
  constructor(length = 1) {
    this.#leastMs = length * TURN_MS;
  }

  /** Records a batch. Returns whether the turn is over. Times are in milliseconds. */
  add(items: number, sentAtMs: number, answeredAtMs: number): boolean {
    const sinceMs = sentAtMs - this.#lastMs > PAGE_WORK_MS ? sentAtMs : this.#lastMs;
    this.#lastMs = answeredAtMs;
    this.#settledAtMs ??= sentAtMs + SETTLING_MS;
    if (answeredAtMs < this.#settledAtMs) return false;
    this.#items += items;
    this.#ms += answeredAtMs - sinceMs;
    return this.#ms >= this.#leastMs;
  }

  /** With the page's own work, and with what the way's threads take away from that. */
  get msPerItem(): number {
    return this.#ms / this.#items;
  }
}
