import { drawnAgain, withInterval, type ByPage, type Estimate } from "./bootstrap.js";
import type { Random } from "./random.js";
import { RankedPages } from "./ranked-pages.js";

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

/** The values of both series on one page, or their places. */
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
  const ranked = new RankedPages(sideOf(pairs, 0));
  const rankedOthers = new RankedPages(sideOf(pairs, 1));
  return withInterval(
    ranked.places.map((places, page): Pair => [places, rankedOthers.places[page] ?? []]),
    ([own, other]): Pair => [drawnAgain(own, random), drawnAgain(other, random)],
    (drawn) => combine(ranked.quantileOf(sideOf(drawn, 0), share), rankedOthers.quantileOf(sideOf(drawn, 1), share)),
    random,
  );
}

function sideOf(pairs: readonly Pair[], side: 0 | 1): ByPage {
  return pairs.map((pair) => pair[side]);
}
