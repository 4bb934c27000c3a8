import { median, quantileOfSorted } from "./quantile.js";
import type { Random } from "./random.js";

/** A 95 % confidence interval. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** A median over slices, with its confidence interval. */
export interface Estimate {
  readonly value: number;
  readonly interval: Interval;
}

const RESAMPLES = 1000;

/**
 * Computes the median with its 95 % percentile-bootstrap interval (Efron 1979): medians of samples of the same size,
 * drawn with replacement. With fewer than about six values, the interval is little more than their range.
 */
export function medianWithInterval(values: readonly number[], random: Random): Estimate {
  const draws = Float64Array.from({ length: RESAMPLES }, () => median(drawnAgain(values, random))).sort();
  return {
    value: median(values),
    interval: { low: quantileOfSorted(draws, 0.025), high: quantileOfSorted(draws, 0.975) },
  };
}

function drawnAgain(values: readonly number[], random: Random): number[] {
  return values.map(() => values[Math.floor(random() * values.length)] ?? Number.NaN);
}
