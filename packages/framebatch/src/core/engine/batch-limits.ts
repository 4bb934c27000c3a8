import type { CostModel } from "../cost/cost-model.js";

/** After a run found no memory, later ones may have at most this share of its volume. */
const KEPT_SHARE = 0.5;

/** What a user sets, as in `BatcherConfig`. */
export interface LimitOptions {
  readonly maxBatchSize: number;
  readonly maxLatencyMs?: number;
  readonly isTrusted?: boolean;
}

/**
 * The upper bound of a batch's size: what the user allows, what fits in memory, and what an objective for latency has time for; and
 * 1 until batches are trusted.
 */
export class BatchLimits {
  readonly #cost: CostModel;
  readonly #maxLatencyMs: number;
  #maxRows: number;
  /** Rows times volume for which there may be memory. */
  #maxVolume = Infinity;
  /** Whether a batch is known to give the answers that its items get alone. */
  isTrusted: boolean;

  constructor({ maxBatchSize, maxLatencyMs = Infinity, isTrusted = true }: LimitOptions, cost: CostModel) {
    this.#maxRows = maxBatchSize;
    this.#maxLatencyMs = maxLatencyMs;
    this.isTrusted = isTrusted;
    this.#cost = cost;
  }

  /** Most rows of any volume. */
  get rows(): number {
    return this.isTrusted ? this.#maxRows : 1;
  }

  /** Allows at most `rows` from now on. Has no effect where the limit is lower already. */
  lower(rows: number): void {
    this.#maxRows = Math.max(1, Math.min(this.#maxRows, rows));
  }

  /** A run of so many rows of this volume, padding included, found no memory. */
  foundNoMemory(rows: number, volume: number): void {
    this.#maxVolume = Math.min(this.#maxVolume, KEPT_SHARE * rows * volume);
  }

  /** Most rows of this volume for which there may be memory. At least 1: a single request always runs. */
  fitting(volume: number): number {
    if (this.#maxVolume === Infinity) return this.rows;
    return Math.max(
      1,
      largestWithin(this.rows, (size) => this.#cost.padded(size) * volume <= this.#maxVolume),
    );
  }

  /**
   * Most rows of this volume that are worth a run. With an objective a run takes at most half of it, since a request may wait for one
   * such run before it rides in the next. While no run time is known, half a batch: then the first two runs tell the fixed cost from
   * the cost of a row.
   */
  timely(volume: number): number {
    const most = this.fitting(volume);
    if (this.#maxLatencyMs === Infinity) return most;
    if (!this.#cost.isKnown) return Math.ceil(most / 2);
    return Math.max(
      1,
      largestWithin(most, (size) => this.#cost.predict(size, volume) <= this.#maxLatencyMs / 2),
    );
  }
}

/** The largest size up to `limit` that fits, by bisection; 0 if 1 does not fit. Every size below one that fits must fit. */
export function largestWithin(limit: number, fits: (size: number) => boolean): number {
  let [most, tooMany] = [0, limit + 1];
  while (tooMany - most > 1) {
    const middle = (most + tooMany) >> 1;
    if (fits(middle)) most = middle;
    else tooMany = middle;
  }
  return most;
}
