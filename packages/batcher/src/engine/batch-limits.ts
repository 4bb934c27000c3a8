import { largestWithin } from "../decide/best-size.js";
import type { CostModel } from "../cost/cost-model.js";
import { type ItemShape, volumeOf } from "../queue/shape.js";

/** After a run ran out of memory, later runs may have at most this share of its volume. */
const KEPT_SHARE = 0.5;

/** The predicted time of a run is relied on if it has at most this many times the volume of one that has run. */
const GROWTH = 2;

/** The limits that a user sets. `BatcherConfig` documents them. */
export interface LimitOptions {
  readonly maxBatchSize: number;
  readonly maxLatencyMs?: number;
  readonly isTrusted?: boolean;
}

/**
 * Limits the size of a batch: the user's maximum, the memory, and the time that a latency objective allows. The limit
 * is 1 until batches are trusted.
 */
export class BatchLimits {
  readonly #cost: CostModel;
  readonly #maxLatencyMs: number;
  #maxRows: number;
  /** Maximum rows times volume that is likely to fit in memory. Only this class changes it. */
  maxVolume = Infinity;
  /** Whether a batch is known to give the same answers as its items alone. Only `trust` changes it. */
  isTrusted: boolean;
  /** Maximum number of rows, whatever their volume. Only this class changes it. */
  rows: number;

  constructor({ maxBatchSize, maxLatencyMs = Infinity, isTrusted = true }: LimitOptions, cost: CostModel) {
    this.#maxRows = maxBatchSize;
    this.#maxLatencyMs = maxLatencyMs;
    this.isTrusted = isTrusted;
    this.rows = isTrusted ? maxBatchSize : 1;
    this.#cost = cost;
  }

  trust(isTrusted: boolean): void {
    this.isTrusted = isTrusted;
    this.rows = isTrusted ? this.#maxRows : 1;
  }

  /** Lowers the limit to `rows`. Has no effect if the limit is already lower. */
  lower(rows: number): void {
    this.#maxRows = Math.max(1, Math.min(this.#maxRows, rows));
    this.trust(this.isTrusted);
  }

  /** Records that a run of `rows` rows of this volume, padding included, ran out of memory. */
  foundNoMemory(rows: number, volume: number): void {
    this.maxVolume = Math.min(this.maxVolume, KEPT_SHARE * rows * volume);
  }

  /**
   * Maximum number of rows of this volume that are likely to fit in memory. At least 1: a single request always runs.
   */
  fitting(volume: number): number {
    if (this.maxVolume === Infinity) return this.rows;
    return Math.max(
      1,
      largestWithin(this.rows, (size) => this.#cost.padded(size) * volume <= this.maxVolume),
    );
  }

  /**
   * Maximum number of rows of this volume that a run should have. With a latency objective L, a request may wait for
   * one run before it joins the next, so that of the requests that arrive evenly during runs of time t, a share of (L -
   * t) / t meets it, and all do where t is at most L / 2. The limit is the size that serves most of them for each
   * millisecond, or twice as many if that has not run and may serve more. While no run time is known, the limit is half
   * a batch, so that the first two runs separate the fixed cost from the cost of a row.
   */
  timely(volume: number): number {
    const most = this.fitting(volume);
    if (this.#maxLatencyMs === Infinity) return most;
    if (!this.#cost.isKnown) return Math.ceil(most / 2);
    let [best, bestRate] = [1, 0];
    for (const size of this.#cost.sizesUpTo(most)) {
      const rate = this.#inTime(size, this.#cost.shortest(size, volume));
      if (rate > 0 && rate >= bestRate) [best, bestRate] = [size, rate];
    }
    return best;
  }

  /** Number of requests that runs of this size and time serve within the objective, for each millisecond. */
  #inTime(size: number, ms: number): number {
    return (size / ms) * Math.max(0, Math.min(1, this.#maxLatencyMs / ms - 1));
  }

  /** Maximum number of rows of this volume that are predicted to run in `ms`, if the prediction can be relied on. */
  within(volume: number, ms: number): number {
    return this.#within(Math.min(this.fitting(volume), this.#predictable(volume)), volume, ms);
  }

  /** Whether the predicted time of a single row of this shape is a guess. */
  isGuess({ extents }: ItemShape): boolean {
    return this.#predictable(volumeOf(extents)) === 0;
  }

  /** Maximum number of rows of this volume whose predicted time can be relied on. */
  #predictable(volume: number): number {
    return Math.floor((GROWTH * this.#cost.knownVolume) / volume);
  }

  #within(most: number, volume: number, ms: number): number {
    return largestWithin(most, (size) => this.#cost.predict(size, volume) <= ms);
  }
}
