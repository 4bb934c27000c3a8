/** Time over which the arrival rate is averaged, in milliseconds: some six frames. */
const RATE_MEMORY_MS = 100;

/** A caller that asks again this soon after its result, or after another one that did, was waiting for it, in milliseconds. */
const RETURN_WITHIN_MS = 0.25;

/** Share of a new arrival in the average of returns. */
const STEP = 1 / 32;

/** Share of arrivals that must be returns before nobody else is expected. */
const CLOSED_LOOP_SHARE = 0.9;

/** So many callers do not all ask again at once by chance: one round of them tells as much as many single ones. */
const TELLING_ROUND = 8;

/** Requests that come within this of each other are one burst, in milliseconds. */
const SAME_BURST_MS = 0.25;

/** The part of the time between two bursts that is taken to be quiet: times between bursts vary. */
const QUIET_SHARE = 2 / 3;

/** Bursts that follow each other within this are a load, as those of every frame are, in milliseconds. */
const STEADY_WITHIN_MS = 25;

/**
 * Learns who comes when: how many requests a millisecond, and whether they are callers who wait for their results and
 * then ask again (a closed loop). Whoever waits for a result cannot join a batch before it has one, so in a closed loop
 * everyone who can come has come once the last ones answered are back.
 */
export class Arrivals {
  #ratePerMs = 0;
  #lastAtMs = -Infinity;
  #answered = 0;
  /** When the last ones were answered, or the last of them came back. */
  #returningAtMs = -Infinity;
  #returned = 0;
  /** Begins at 1: waits are for those who have shown that they come by themselves. */
  #returnShare = 1;
  /** When the newest burst began, and the time between it and the one before, and between those before; 0 while no gap is known. */
  #burstAtMs = -Infinity;
  #gapMs = 0;
  #gapBeforeMs = 0;

  /** Returns whether the request comes from a caller that has just been answered. */
  arrived(nowMs: number): boolean {
    if (nowMs - this.#lastAtMs > SAME_BURST_MS) this.#burstBegan(nowMs);
    this.#ratePerMs = this.ratePerMs(nowMs) + 1 / RATE_MEMORY_MS;
    this.#lastAtMs = nowMs;
    const isReturn = this.#returned < this.#answered && this.#isReturning(nowMs);
    if (isReturn) {
      this.#returned += 1;
      this.#returningAtMs = nowMs;
    } else {
      this.#answered = 0;
      this.#returned = 0;
    }
    this.#returnShare += STEP * ((isReturn ? 1 : 0) - this.#returnShare);
    return isReturn;
  }

  /** A batch of so many has been answered; their callers may ask again at once. */
  answered(size: number, nowMs: number): void {
    this.#answered = size;
    this.#returningAtMs = nowMs;
    this.#returned = 0;
  }

  /** Their results have been handed out, which takes its time where they are many. */
  haveHeard(nowMs: number): void {
    this.#returningAtMs = nowMs;
  }

  /** Whether those who were answered just now are asking again. */
  areReturning(nowMs: number): boolean {
    return this.#returned > 0 && this.#isReturning(nowMs);
  }

  /** Whether all who were answered last have asked again, and nobody else since. */
  get haveReturned(): boolean {
    return this.#answered > 0 && this.#returned === this.#answered;
  }

  /** Whether nearly everyone who comes has just been answered: nobody is to be expected who is not waiting for a result. */
  get isClosedLoop(): boolean {
    return this.#returnShare >= CLOSED_LOOP_SHARE || (this.haveReturned && this.#answered >= TELLING_ROUND);
  }

  /** Requests a millisecond, of late. */
  ratePerMs(nowMs: number): number {
    return this.#ratePerMs * Math.exp((this.#lastAtMs - nowMs) / RATE_MEMORY_MS);
  }

  /** For how long nobody else is expected, where all since `oldestAtMs` came in one burst; else 0. In milliseconds. */
  quietMs(oldestAtMs: number, nowMs: number): number {
    if (oldestAtMs < this.#burstAtMs) return 0;
    const gapMs = Math.min(this.#gapMs, this.#gapBeforeMs);
    return gapMs <= STEADY_WITHIN_MS ? 0 : Math.max(0, this.#burstAtMs + QUIET_SHARE * gapMs - nowMs);
  }

  #burstBegan(nowMs: number): void {
    this.#gapBeforeMs = this.#gapMs;
    this.#gapMs = nowMs - this.#burstAtMs;
    this.#burstAtMs = nowMs;
  }

  #isReturning(nowMs: number): boolean {
    return nowMs - this.#returningAtMs <= RETURN_WITHIN_MS;
  }
}
