/** Limits of the figures of a result. */
export const LOWEST = 1e-6;
export const HIGHEST = 1e9;

const DIGITS = 3;

/**
 * Rounds a figure of a result to three significant digits, within the limits. Results are rounded when they are
 * measured, so that the page, the link, the report and the image decide from the same figures and show the same ones.
 */
export function rounded(figure: number): number {
  if (figure === 0) return 0;
  return Number(Math.min(HIGHEST, Math.max(LOWEST, figure)).toPrecision(DIGITS));
}
