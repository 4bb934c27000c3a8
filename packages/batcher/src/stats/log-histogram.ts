import type { Distribution } from "./stats.js";

/**
 * Each bucket is wider than the one before by this factor, so its geometric middle is within 4 % of any value in it.
 */
const GROWTH = 1.08;
const LOG_GROWTH = Math.log(GROWTH);

/** Values up to this share the first bucket. It is a nanosecond if the unit is the millisecond. */
const LEAST = 1e-6;

/**
 * A histogram of non-negative numbers with buckets that grow geometrically. Recording takes O(1) time and allocates
 * memory only for new buckets.
 */
export class LogHistogram {
  readonly #counts: number[] = [];
  #count = 0;
  #sum = 0;
  #min = Infinity;
  #max = 0;

  record(value: number): void {
    const bucket = value <= LEAST ? 0 : 1 + Math.floor(Math.log(value / LEAST) / LOG_GROWTH);
    while (this.#counts.length <= bucket) this.#counts.push(0);
    this.#counts[bucket]! += 1;
    this.#count += 1;
    this.#sum += value;
    if (value < this.#min) this.#min = value;
    if (value > this.#max) this.#max = value;
  }

  snapshot(): Distribution {
    if (this.#count === 0) return { count: 0, sum: 0, mean: 0, min: 0, max: 0, p50: 0, p95: 0, p99: 0, buckets: [] };
    return {
      count: this.#count,
      sum: this.#sum,
      mean: this.#sum / this.#count,
      min: this.#min,
      max: this.#max,
      p50: this.#quantile(0.5),
      p95: this.#quantile(0.95),
      p99: this.#quantile(0.99),
      buckets: this.#buckets(),
    };
  }

  /** Returns the buckets that hold values. Their bounds never change, so that snapshots can be compared. */
  #buckets(): { le: number; count: number }[] {
    const buckets: { le: number; count: number }[] = [];
    let sum = 0;
    for (const [bucket, count] of this.#counts.entries()) {
      if (count === 0) continue;
      sum += count;
      buckets.push({ le: upperBoundOf(bucket), count: sum });
    }
    return buckets;
  }

  /** Returns the nearest-rank quantile, rounded down: 0.5 of four values is the second. */
  #quantile(share: number): number {
    let left = Math.max(1, Math.ceil(share * this.#count));
    const bucket = this.#counts.findIndex((count) => (left -= count) <= 0);
    const middle = bucket === 0 ? 0 : LEAST * GROWTH ** (bucket - 0.5);
    return Math.max(this.#min, Math.min(this.#max, middle));
  }
}

/** Number of buckets per octave: 1.08 to the power of 9 is about 2. */
const OCTAVE = 9;

/**
 * Returns bucket bounds from `least` to `most`, an octave apart. They are the same for every histogram, whatever was
 * recorded.
 */
export function bucketBounds(least: number, most: number): readonly number[] {
  const bounds: number[] = [];
  const first = Math.ceil(Math.log(least / LEAST) / LOG_GROWTH);
  for (let bucket = first; upperBoundOf(bucket) <= most; bucket += OCTAVE) bounds.push(upperBoundOf(bucket));
  return bounds;
}

/** Rounds to four digits, which is accurate enough and easy to read. */
function upperBoundOf(bucket: number): number {
  return Number((LEAST * GROWTH ** bucket).toPrecision(4));
}
