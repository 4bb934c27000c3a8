/** The value below which a share of the sample lies, by the nearest rank; `null` for an empty sample. */
export function quantile(sample: Iterable<number>, share: number): number | null {
  const sorted = Float64Array.from(sample).sort();
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null;
}
