import type { Decision } from "./release/context.js";

/** Share of the newest opportunity in the average. */
const STEP = 1 / 16;

/** Joins for each opportunity from which on a wait is taken in full, and below which none is taken. */
const FULL_AT = 1;
const NONE_BELOW = 1 / 2;

/** So many joins of one opportunity count: a crowd is to be forgotten soon. */
const MAX_JOINS = 2;

/**
 * Learns whether free waits pay. An opportunity is a span in which a batch could wait for others at no visible cost. Requests that
 * come by themselves within it count whether the batch waits or not, so no wait is made only to find out.
 */
export class WaitPayoff {
  #joinsEach = 0;
  #joins = 0;
  #untilMs = -Infinity;
  #aimMs: number | null = null;

  /** The frame that the wait in progress aims at; `null` without one. */
  get aimMs(): number | null {
    return this.#aimMs;
  }

  /** Share of a free wait to take, 0 to 1. */
  get patience(): number {
    return this.#joinsEach < NONE_BELOW ? 0 : Math.min(1, this.#joinsEach / FULL_AT);
  }

  /** A request has come that waited for no answer. */
  arrived(nowMs: number): void {
    if (nowMs <= this.#untilMs) this.#joins += 1;
  }

  /** A batch waits, or is sent. */
  decided({ action, free }: Decision): void {
    if (free !== null && this.#aimMs === null) this.#opened(free.untilMs);
    if (action === "dispatch") this.ended();
    else this.#aimMs ??= free?.frameMs ?? null;
  }

  /** The wait in progress is over. */
  ended(): void {
    this.#aimMs = null;
  }

  /** A batch may wait until `untilMs`. The opportunity before is over. */
  #opened(untilMs: number): void {
    this.#joinsEach += STEP * (Math.min(this.#joins, MAX_JOINS) - this.#joinsEach);
    this.#joins = 0;
    this.#untilMs = untilMs;
  }
}
