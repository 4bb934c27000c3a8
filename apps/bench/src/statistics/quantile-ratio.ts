import { drawnAgain, withInterval, type ByPage, type Estimate } from "./bootstrap.js";
import { quantileOf } from "./quantile.js";
import type { Random } from "./random.js";

/**
 * Estimates the ratio of a quantile of two series. Pages are paired, so that a disturbance of both does not change the
 * ratio, but the values of a page are not; `null` if no pair of pages has values.
 */
export function estimateQuantileRatio(values: ByPage, others: ByPage, share: number, random: Random): Estimate | null {
  return between(values, others, share, (value, other) => value / other, random);
}

/** Estimates the difference of a quantile of two series, paired as the ratio is. */
export function estimateQuantileDifference(
  values: ByPage,
  others: ByPage,
  share: number,
  random: Random,
): Estimate | null {
  return between(values, others, share, (value, other) => value - other, random);
}

/** The values of both series on one page. */
type Pair = readonly [values: readonly number[], others: readonly number[]];

function between(
  values: ByPage,
  others: ByPage,
  share: number,
  combine: (value: number, other: number) => number,
  random: Random,
): Estimate | null {
  const pairs = values
    .map((ofPage, page): Pair => [ofPage, others[page] ?? []])
    .filter((pair) => pair.every(({ length }) => length > 0));
  if (pairs.length === 0) return null;
  const quantile = (pages: readonly Pair[], side: 0 | 1): number =>
    quantileOf(
      pages.flatMap((pair) => pair[side]),
      share,
    );
  return withInterval(
    pairs,
    ([own, other]): Pair => [drawnAgain(own, random), drawnAgain(other, random)],
    (pages) => combine(quantile(pages, 0), quantile(pages, 1)),
    random,
  );
}
