/**
 * Returns the largest size up to `limit` that fits, by bisection, or 0 if 1 does not fit. Requires that every size
 * below a size that fits also fits.
 */
export function largestWithin(limit: number, fits: (size: number) => boolean): number {
  let [most, tooMany] = [0, limit + 1];
  while (tooMany - most > 1) {
    const middle = (most + tooMany) >> 1;
    if (fits(middle)) most = middle;
    else tooMany = middle;
  }
  return most;
}
