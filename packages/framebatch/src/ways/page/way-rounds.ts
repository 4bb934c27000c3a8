/**
 * A way wins, or loses, with a lead of so many rounds. Each lead begins anew at 0, so that a way that was slow while
 * its code was compiled can still win. This is Page's one-sided test (Continuous inspection schemes, Biometrika 1954)
 * of the sign of each round, which no single stall decides. A way that is slower in 65 of 100 rounds wins all the same
 * in 6 of 100 trials, and in 9 if its rounds take 100 ms each: it has more of them before it may lose.
 */
const LEAD = 6;

/** After as many rounds without a lead, the ways are equally fast. */
const MAX_ROUNDS = 64;

/** A gain of less than this is not worth a change. */
const MIN_GAIN = 1.05;

/**
 * A new worker is getting faster while it takes less than this share of its best time so far: its code is being
 * optimized.
 */
const WARMING = 0.9;

/** No way loses before it has had this time to get fast, in milliseconds. */
const LEAST_MS = 3000;

/**
 * Decides from rounds whether another way to run a model is faster than its own. In each round, both have answered
 * requests.
 */
export class WayRounds {
  /** When the other way began to run, in milliseconds. */
  readonly sinceMs: number;
  readonly #gains: number[] = [];
  #bestMs = Infinity;
  /** Whether the other way was faster in the last round than ever before. Only `add` sets it. */
  isWarming = false;
  #faster = 0;
  #slower = 0;

  constructor(nowMs: number) {
    this.sinceMs = nowMs;
  }

  /**
   * Records a round: the time of the model's own way for an answer, and that of the other one, in milliseconds. Returns
   * whether the other one is faster, once that is known.
   */
  add(ownMs: number, otherMs: number, nowMs: number): boolean | null {
    this.isWarming = otherMs < WARMING * this.#bestMs;
    this.#bestMs = Math.min(this.#bestMs, otherMs);
    if (this.isWarming) {
      this.#slower = 0;
      return null;
    }
    const gain = ownMs / otherMs;
    this.#gains.push(gain);
    const step = gain > MIN_GAIN ? 1 : -1;
    this.#faster = Math.max(0, this.#faster + step);
    this.#slower = Math.max(0, this.#slower - step);
    if (this.#faster === LEAD) return true;
    const hasLost = this.#slower >= LEAD && nowMs - this.sinceMs >= LEAST_MS;
    return hasLost || this.#gains.length === MAX_ROUNDS ? false : null;
  }

  /** Whether the other way was slower in two rounds more than not: it should get few requests. */
  get seemsSlow(): boolean {
    return this.#faster === 0 && this.#slower > 1;
  }

  /** How many times as fast as the model's own way: the median of the last rounds. */
  get gain(): number {
    const last = this.#gains.slice(-2 * LEAD).toSorted((a, b) => a - b);
    return last[last.length >> 1] ?? 0;
  }
}

/** A way is cold at first: its memory has left the processor's caches, and its threads sleep. */
const SETTLING_MS = 10;

/**
 * Time of the batches of a turn, in milliseconds: steady costs of a way, such as waking its threads, average out in it.
 */
const TURN_MS = 30;

/**
 * A longer pause between batches, in milliseconds, is the user's. A shorter one is the page's work, which takes
 * processors.
 */
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

  /**
   * Records a batch. Returns the time for an answer, once the turn is over: with the page's own work, and with what the
   * way's threads take away from that. Times are in milliseconds.
   */
  add(items: number, sentAtMs: number, answeredAtMs: number): number | null {
    const sinceMs = sentAtMs - this.#lastMs > PAGE_WORK_MS ? sentAtMs : this.#lastMs;
    this.#lastMs = answeredAtMs;
    this.#settledAtMs ??= sentAtMs + SETTLING_MS;
    if (answeredAtMs < this.#settledAtMs) return null;
    this.#items += items;
    this.#ms += answeredAtMs - sinceMs;
    return this.#ms >= this.#leastMs ? this.#ms / this.#items : null;
  }
}
