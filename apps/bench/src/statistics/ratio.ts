import { medianWithInterval, type Estimate } from "./bootstrap.js";
import type { Random } from "./random.js";

/**
 * How many times one series is the other. The values are paired by round: what slows both in a round leaves their ratio
 * alone. A pair with a value that is missing or zero does not count; `null` where none is left.
 */
export function estimateRatio(values: readonly number[], others: readonly number[], random: Random): Estimate | null {
  const ratios = values
    .map((value, index) => value / (others[index] ?? Number.NaN))
    .filter((ratio) => Number.isFinite(ratio) && ratio > 0);
  return ratios.length === 0 ? null : medianWithInterval(ratios, random);
}
