/** Returns the quantile of a sample by the nearest-rank method; `null` for an empty sample. `share` is 0 to 1. */
export function quantile(sample: Iterable<number>, share: number): number | null {
  const sorted = Float64Array.from(sample).sort();
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null;
}
