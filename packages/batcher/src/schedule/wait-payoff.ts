import type { Decision } from "../decide/decision.js";

/** Weight of the newest opportunity in the average. */
const PAYOFF_SMOOTHING = 1 / 16;

/** Minimum average of joins per opportunity with which a wait pays off: a caller alone may join its own last request. */
const MIN_JOINS = 3 / 4;

/** Maximum joins counted per opportunity, so that the effect of a single crowd fades soon. */
const MAX_JOINS = 2;

/**
 * Learns whether free waits pay off. An opportunity is a time span in which a batch could wait for more requests at no
 * visible cost. Independent requests that arrive within it count whether or not the batch waits, so no wait is needed
 * only to learn.
 */
export class WaitPayoff {
  #joinsEach = 0;
  #joins = 0;
  #untilMs = -Infinity;
  /** The frame that the wait in progress aims at; `null` if no wait is in progress. Only this class changes it. */
  targetFrameMs: number | null = null;

  /** Whether to take a free wait. */
  get doPayOff(): boolean {
    return this.#joinsEach >= MIN_JOINS;
  }

  /** Records a request whose caller was not waiting for an answer. */
  arrived(nowMs: number): void {
    if (nowMs <= this.#untilMs) this.#joins += 1;
  }

  /** Records a decision. */
  decided({ action, free }: Decision): void {
    if (free !== null && this.targetFrameMs === null) this.#opened(free.untilMs);
    if (action === "wait") this.targetFrameMs ??= free?.frameMs ?? null;
    else this.ended();
  }

  /** Records the end of the wait in progress. */
  ended(): void {
    this.targetFrameMs = null;
  }

  /** Records that a batch may wait until `untilMs`. Ends the previous opportunity. */
  #opened(untilMs: number): void {
    this.#joinsEach += PAYOFF_SMOOTHING * (Math.min(this.#joins, MAX_JOINS) - this.#joinsEach);
    this.#joins = 0;
    this.#untilMs = untilMs;
  }
}
