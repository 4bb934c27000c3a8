/**
 * Clipper's estimate of the largest batch that fits a budget: a ridge regression of each size's 99th percentile on the
 * size.
 */
export class LatencyEstimator {
  worstMs = 0;
  readonly #bySize = new Map<number, { count: number; mean: number; squares: number }>();

  record(size: number, runMs: number): void {
    this.worstMs = Math.max(this.worstMs, runMs);
    const seen = this.#bySize.get(size) ?? { count: 0, mean: 0, squares: 0 };
    seen.count++;
    const distance = runMs - seen.mean;
    seen.mean += distance / seen.count;
    seen.squares += distance * (runMs - seen.mean);
    this.#bySize.set(size, seen);
  }

  samples(size: number): number {
    return this.#bySize.get(size)?.count ?? 0;
  }

  /** Returns the largest size whose 99th percentile fits the budget according to the regression; at least 1. */
  largestWithin(budgetMs: number): number {
    const sizes = [...this.#bySize.keys()];
    const spreadMs = 3 * this.#pooledDeviation();
    const latencies = [...this.#bySize.values()].map((seen) => seen.mean + spreadMs);
    const meanSize = sum(sizes) / sizes.length;
    const meanMs = sum(latencies) / latencies.length;
    const joint = sum(sizes.map((size, i) => (size - meanSize) * ((latencies[i] ?? 0) - meanMs)));
    const slope = joint / (sum(sizes.map((size) => (size - meanSize) ** 2)) + RIDGE);
    const fixedMs = meanMs - slope * meanSize;
    return slope > 1e-9 ? Math.max(1, Math.floor((budgetMs - fixedMs) / slope)) : Infinity;
  }

  #pooledDeviation(): number {
    let squares = 0;
    let freedom = 0;
    for (const seen of this.#bySize.values()) {
      squares += seen.squares;
      freedom += seen.count - 1;
    }
    return freedom > 0 ? Math.sqrt(squares / freedom) : 0;
  }
}

const RIDGE = 0.1;

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
