import { median, quantileOfSorted } from "./quantile.js";
import type { Random } from "./random.js";

/** Where the true value lies with 95 % confidence. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** A median over slices, and how far it can be trusted. */
export interface Estimate {
  readonly value: number;
  readonly interval: Interval;
}

const RESAMPLES = 1000;

/**
 * The median with its 95 % percentile-bootstrap interval (Efron 1979): medians of as many values, drawn again with
 * replacement. With fewer than about six values the interval is little more than their range.
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
