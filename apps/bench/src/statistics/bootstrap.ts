import { quantileOfSorted } from "./quantile.js";
import type { Random } from "./random.js";
import { RankedPages } from "./ranked-pages.js";

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
  return quantileWithInterval(pages, 0.5, random);
}

/** Computes a quantile of all values with its interval, as `medianWithInterval` does. */
export function quantileWithInterval(pages: ByPage, share: number, random: Random): Estimate {
  const ranked = new RankedPages(pages.filter((values) => values.length > 0));
  return withInterval(
    ranked.places,
    (places) => drawnAgain(places, random),
    (drawn) => ranked.quantileOf(drawn, share),
    random,
  );
}

/** Computes a statistic of pages with its interval. `redraw` returns a page with values drawn from that page. */
export function withInterval<Page>(
  pages: readonly Page[],
  redraw: (page: Page) => Page,
  statistic: (pages: readonly Page[]) => number,
  random: Random,
): Estimate {
  const draw = () => statistic(drawnAgain(pages, random).map(redraw));
  const draws = Float64Array.from({ length: RESAMPLES }, draw).sort();
  return {
    value: statistic(pages),
    interval: { low: quantileOfSorted(draws, 0.025), high: quantileOfSorted(draws, 0.975) },
  };
}

/** Returns as many values as there are, drawn with replacement. */
export function drawnAgain<Value>(values: readonly Value[], random: Random): Value[] {
  return values.map(() => values[Math.floor(random() * values.length)]!);
}
