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

/** The values of a figure by page. Values of one page have more in common than values of different pages. */
export type ByPage<Value = number> = readonly (readonly Value[])[];

const RESAMPLES = 1000;

/**
 * Computes the median of all values with its 95 % percentile-bootstrap interval (Efron 1979): medians of samples of the
 * same size, drawn with replacement, first the pages and then the values of each drawn page (Davison and Hinkley 1997,
 * section 3.8). With three pages, the interval contains the median of each page. With fewer than about six values, it is
 * little more than their range.
 */
export function medianWithInterval(pages: ByPage, random: Random): Estimate {
  const filled = pages.filter((values) => values.length > 0);
  const draw = () => median(drawnAgain(filled, random).flatMap((values) => drawnAgain(values, random)));
  const draws = Float64Array.from({ length: RESAMPLES }, draw).sort();
  return {
    value: median(filled.flat()),
    interval: { low: quantileOfSorted(draws, 0.025), high: quantileOfSorted(draws, 0.975) },
  };
}

function drawnAgain<Value>(values: readonly Value[], random: Random): Value[] {
  return values.map(() => values[Math.floor(random() * values.length)]!);
}
