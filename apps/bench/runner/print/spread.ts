import { median } from "../../src/statistics/quantile.js";

/** Returns the median of values, with the lowest and the highest one. */
export function spread(values: readonly number[]): string {
  return `${shown(median(values))} (${shown(Math.min(...values))} to ${shown(Math.max(...values))})`;
}

/** Returns a dash if there is no number: some systems do not tell a figure. */
function shown(value: number): string {
  if (!Number.isFinite(value)) return "–";
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
