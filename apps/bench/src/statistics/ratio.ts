import { medianWithInterval, type Estimate } from "./bootstrap.js";
import type { Random } from "./random.js";

/**
 * Estimates the ratio of two series. The values are paired by round, so that a disturbance of a whole round does not
 * change the ratio. Pairs with a missing or zero value are ignored; `null` if no pair remains.
 */
export function estimateRatio(values: readonly number[], others: readonly number[], random: Random): Estimate | null {
  const ratios = values
    .map((value, index) => value / (others[index] ?? Number.NaN))
    .filter((ratio) => Number.isFinite(ratio) && ratio > 0);
  return ratios.length === 0 ? null : medianWithInterval(ratios, random);
}
