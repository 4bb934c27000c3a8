/** The latency of one request. If the request was cut off, the real latency is at least this long. */
export interface Wait {
  readonly ms: number;
  readonly isCutOff: boolean;
}

/** One quantile of a distribution. */
export interface Quantile {
  readonly ms: number;
  /**
   * Whether the real value is probably larger: too many requests were cut off, or there were too few. Of 20 answers, the
   * "99th percentile" is the slowest, and that of another 20 can be quite another.
   */
  readonly isAtLeast: boolean;
}

/** A distribution of latencies, in ms. */
export interface WaitStatistics {
  readonly count: number;
  readonly p50: Quantile;
  readonly p95: Quantile;
  readonly p99: Quantile;
  /** The latency of every answered request, ascending. */
  readonly ended: Float64Array;
}

/**
 * Computes exact quantiles (nearest rank). Requests that were cut off count with the time up to the cut, so that they
 * do not improve the result.
 */
export function summariseWaits(waits: readonly Wait[]): WaitStatistics {
  const ascending = Float64Array.from(waits, (wait) => wait.ms).sort();
  const ended = Float64Array.from(
    waits.filter((wait) => !wait.isCutOff),
    (wait) => wait.ms,
  ).sort();
  const quantile = (share: number): Quantile => ({
    ms: nearestRank(ascending, share),
    isAtLeast: ended.length < share * ascending.length || isProbablyMissed(share, ascending.length),
  });
  return { count: waits.length, p50: quantile(0.5), p95: quantile(0.95), p99: quantile(0.99), ended };
}

/** Whether it is more likely than not that none of so many requests is as slow as the quantile. */
function isProbablyMissed(share: number, count: number): boolean {
  return share ** count > 0.5;
}

/** Returns the smallest value that is not exceeded by at least `share` of the ascending values; 0 if there are none. */
function nearestRank(ascending: Float64Array, share: number): number {
  return ascending[Math.max(0, Math.ceil(share * ascending.length) - 1)] ?? 0;
}

/** Returns the share of ascending values that are at most `limit`, from 0 to 1, relative to `total`. */
export function shareWithin(ascending: Float64Array, limit: number, total: number): number {
  return total === 0 ? 0 : countWithin(ascending, limit) / total;
}

/** Returns the number of ascending values that are at most `limit`. */
export function countWithin(ascending: ArrayLike<number>, limit: number): number {
  let [low, high] = [0, ascending.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ascending[middle] ?? Infinity) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

export function median(values: readonly number[]): number {
  return nearestRank(Float64Array.from(values).sort(), 0.5);
}
