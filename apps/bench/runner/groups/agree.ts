/** Whether the lanes have computed the same scores. */
export function agree(sums: readonly number[]): boolean {
  return Math.max(...sums) - Math.min(...sums) <= 1e-3 * Math.abs(sums[0] ?? Number.NaN);
}
