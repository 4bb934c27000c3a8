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

/** Bursts that follow each other within this are a load, as those of every frame are, in milliseconds. */
const STEADY_WITHIN_MS = 25;

/** So many bursts in a row tell that the next one comes only after this one is over. */
const TELLING_BURSTS = 3;

/**
 * Learns who comes when: how many requests a millisecond, and whether they are callers who wait for their results and
 * then ask again (a closed loop). Whoever waits for a result cannot join a batch before it has one, so in a closed loop
 * everyone who can come has come once the last ones answered are back.
 */
export class Arrivals {
  #ratePerMs = 0;
  #lastAtMs = -Infinity;
  #answered = 0;
  #answeredAtMs = 0;
  #msPerReturn = 0;
  /** When the last ones were answered, or the last of them came back. */
  #returningAtMs = -Infinity;
  #returned = 0;
  /** Begins at 1: waits are for those who have shown that they come by themselves. */
  #returnShare = 1;
  #burstAtMs = -Infinity;
  /** Bursts in a row, up to the newest, that found nothing queued or running, and were no load. */
  #lonelyBursts = 0;

  /** The next request is the first of a burst. @param isAtRest whether nothing is queued or running */
  burstBegan(nowMs: number, isAtRest: boolean): void {
    const isLonely = isAtRest && nowMs - this.#burstAtMs > STEADY_WITHIN_MS;
    this.#lonelyBursts = isLonely ? this.#lonelyBursts + 1 : 0;
    this.#burstAtMs = nowMs;
  }

  /** Returns whether the request comes from a caller that has just been answered. */
  arrived(nowMs: number): boolean {
    this.#ratePerMs = this.ratePerMs(nowMs) + 1 / RATE_MEMORY_MS;
    this.#lastAtMs = nowMs;
    const isReturn = this.#returned < this.#answered && this.#isReturning(nowMs);
    if (isReturn) {
      this.#returned += 1;
      this.#returningAtMs = nowMs;
      if (this.haveReturned) this.#allReturned(nowMs);
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
    this.#answeredAtMs = nowMs;
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

  /** How long a caller takes to hear its result and to ask again: the page's share of a round, in milliseconds. */
  get msPerReturn(): number {
    return this.#msPerReturn;
  }

  /** Whether nearly everyone who comes has just been answered: nobody is to be expected who is not waiting for a result. */
  get isClosedLoop(): boolean {
    return this.#returnShare >= CLOSED_LOOP_SHARE || (this.haveReturned && this.#answered >= TELLING_ROUND);
  }

  /** Requests a millisecond, of late. */
  ratePerMs(nowMs: number): number {
    return this.#ratePerMs * Math.exp((this.#lastAtMs - nowMs) / RATE_MEMORY_MS);
  }

  /** Whether all since `oldestAtMs` came in one burst that nobody is expected to join: the last ones were all over before the next. */
  isBurstAlone(oldestAtMs: number): boolean {
    return oldestAtMs >= this.#burstAtMs && this.#lonelyBursts >= TELLING_BURSTS;
  }

  #allReturned(nowMs: number): void {
    const ms = (nowMs - this.#answeredAtMs) / this.#answered;
    this.#msPerReturn += STEP * (ms - this.#msPerReturn);
  }

  #isReturning(nowMs: number): boolean {
    return nowMs - this.#returningAtMs <= RETURN_WITHIN_MS;
  }
}
