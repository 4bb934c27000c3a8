/** Time over which the arrival rate is averaged, in milliseconds: some six frames. */
const RATE_MEMORY_MS = 100;

/** A caller that asks again this soon after its result was waiting for it, in milliseconds. */
const RETURN_WITHIN_MS = 0.25;

/** Share of a new arrival in the average of returns. */
const STEP = 1 / 32;

/** Share of arrivals that must be returns before nobody else is expected. */
const CLOSED_LOOP_SHARE = 0.9;

/**
 * Learns who comes when: how many requests a millisecond, and whether they are callers who wait for their results and
 * then ask again (a closed loop). Whoever waits for a result cannot join a batch before it has one, so in a closed loop
 * everyone who can come has come once the last ones answered are back.
 */
export class Arrivals {
  #ratePerMs = 0;
  #lastAtMs = -Infinity;
  #answered = 0;
  #answeredAtMs = -Infinity;
  #returned = 0;
  /** Begins at 1: waits are for those who have shown that they come by themselves. */
  #returnShare = 1;

  arrived(nowMs: number): void {
    this.#ratePerMs = this.ratePerMs(nowMs) + 1 / RATE_MEMORY_MS;
    this.#lastAtMs = nowMs;
    const isReturn = nowMs - this.#answeredAtMs <= RETURN_WITHIN_MS;
    if (isReturn) this.#returned += 1;
    this.#returnShare += STEP * ((isReturn ? 1 : 0) - this.#returnShare);
  }

  /** A batch of so many has been answered; their callers may ask again at once. */
  answered(size: number, nowMs: number): void {
    this.#answered = size;
    this.#answeredAtMs = nowMs;
    this.#returned = 0;
  }

  /** Whether as many have come as were answered just now, so that a batch need not wait for the task to end. */
  allReturned(nowMs: number): boolean {
    return this.#answered > 0 && this.#returned >= this.#answered && nowMs - this.#answeredAtMs <= RETURN_WITHIN_MS;
  }

  /** Whether nearly everyone who comes has just been answered: nobody is to be expected who is not waiting for a result. */
  get isClosedLoop(): boolean {
    return this.#returnShare >= CLOSED_LOOP_SHARE;
  }

  /** Requests a millisecond, of late. */
  ratePerMs(nowMs: number): number {
    return this.#ratePerMs * Math.exp((this.#lastAtMs - nowMs) / RATE_MEMORY_MS);
  }
}
