import { medianWithInterval, type ByPage, type Estimate } from "./bootstrap.js";
import type { Random } from "./random.js";

/**
 * Estimates the ratio of two series. The values are paired by page and round, so that a disturbance of a whole round does
 * not change the ratio. Pairs with a missing or zero value are ignored; `null` if no pair remains.
 */
export function estimateRatio(values: ByPage, others: ByPage, random: Random): Estimate | null {
  return estimateOf(ratiosOf(values, others), random);
}

/** Returns the numbers of pages and of pairs behind the ratio of two series. */
export function countPairs(values: ByPage, others: ByPage): { readonly pages: number; readonly pairs: number } {
  const ratios = ratiosOf(values, others).filter((ofPage) => ofPage.length > 0);
  return { pages: ratios.length, pairs: ratios.flat().length };
}

function ratiosOf(values: ByPage, others: ByPage): number[][] {
  return paired(values, others, (value, other) => value / other).map((ofPage) => ofPage.filter((ratio) => ratio > 0));
}

/** Estimates the difference of two series, paired as the ratio is; `null` if no pair has both values. */
export function estimateDifference(values: ByPage, others: ByPage, random: Random): Estimate | null {
  return estimateOf(
    paired(values, others, (value, other) => value - other),
    random,
  );
}

function paired(values: ByPage, others: ByPage, combine: (value: number, other: number) => number): number[][] {
  return values.map((ofPage, page) =>
    ofPage.map((value, round) => combine(value, others[page]?.[round] ?? Number.NaN)).filter(Number.isFinite),
  );
}

function estimateOf(pages: ByPage, random: Random): Estimate | null {
  return pages.some((values) => values.length > 0) ? medianWithInterval(pages, random) : null;
}
