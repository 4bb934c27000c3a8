import { afterMicrotask } from "@framebatch/host/microtask.js";

/** Minimum number of slots, so that a stage without a known batch size, or one that still learns it, is kept busy. */
const MIN_SLOTS = 8;

/** After this many requests for a slot, the batch size is read again. */
const REFRESH_EVERY = 64;

/** A part that waits for a slot. */
export interface SlotTaker {
  /** Place of the part's run in the order of arrival. The oldest run gets the first free slot. */
  readonly sequence: number;
  /** Called once, when the part has its slot. */
  enter(): void;
}

/**
 * Limits the number of parts of streams that one stage works on, or has finished and cannot pass on: two batches of its
 * best size, so that the next batch is ready when one ends. The runs of single calls take no slot.
 */
export class Slots {
  readonly #targetSize: () => number;
  readonly #waiting: SlotTaker[] = [];
  #limit = MIN_SLOTS;
  #requests = 0;
  #taken = 0;
  #isGrantDue = false;

  constructor(targetSize: () => number) {
    this.#targetSize = targetSize;
  }

  /** Number of slots. */
  get limit(): number {
    return this.#limit;
  }

  /** Gives the part a slot now, or when one is free. */
  request(taker: SlotTaker): void {
    if (this.#requests++ % REFRESH_EVERY === 0) this.#limit = Math.max(MIN_SLOTS, 2 * this.#targetSize());
    const younger = this.#waiting.findIndex(({ sequence }) => sequence > taker.sequence);
    this.#waiting.splice(younger < 0 ? this.#waiting.length : younger, 0, taker);
    this.#grant();
  }

  /**
   * Frees a slot. A part that waits gets it in a microtask: whatever ends together has then left, and no part starts only
   * to be cancelled.
   */
  release(): void {
    this.#taken -= 1;
    if (this.#isGrantDue || this.#waiting.length === 0) return;
    this.#isGrantDue = true;
    afterMicrotask(() => {
      this.#isGrantDue = false;
      this.#grant();
    });
  }

  /** Removes a part that waits no longer. */
  withdraw(taker: SlotTaker): void {
    const index = this.#waiting.indexOf(taker);
    if (index >= 0) this.#waiting.splice(index, 1);
  }

  #grant(): void {
    while (this.#taken < this.#limit) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#taken += 1;
      next.enter();
    }
  }
}
