/**
 * Returns a quantile of sorted values with linear interpolation between neighbours (type 7, the usual method). `NaN` if
 * there are no values.
 */
export function quantileOfSorted(sorted: ArrayLike<number>, share: number): number {
  return quantileAt(sorted.length, share, (index) => sorted[index] ?? Number.NaN);
}

/** Like `quantileOfSorted`, of `length` values that `valueAt` returns. It is asked for the lower one first. */
export function quantileAt(length: number, share: number, valueAt: (index: number) => number): number {
  if (length === 0) return Number.NaN;
  const position = share * (length - 1);
  const below = Math.floor(position);
  const low = valueAt(below);
  const high = valueAt(Math.min(below + 1, length - 1));
  return low + (high - low) * (position - below);
}

/** Like `quantileOfSorted`, of values in any order. */
export function quantileOf(values: readonly number[], share: number): number {
  return quantileOfSorted(Float64Array.from(values).sort(), share);
}

export function median(values: readonly number[]): number {
  return quantileOf(values, 0.5);
}

/** Returns the mean; `NaN` if there are no values. */
export function mean(values: ArrayLike<number>): number {
  let sum = 0;
  for (let index = 0; index < values.length; index++) sum += values[index] ?? 0;
  return sum / values.length;
}
