import { medianWithInterval, type ByPage, type Estimate } from "./bootstrap.js";
import type { Random } from "./random.js";

/**
 * Estimates the ratio of two series. The values are paired by page and round, so that a disturbance of a whole round does
 * not change the ratio. Pairs with a missing or zero value are ignored; `null` if no pair remains.
 */
export function estimateRatio(values: ByPage, others: ByPage, random: Random): Estimate | null {
  const ratios = paired(values, others, (value, other) => value / other);
  return estimateOf(
    ratios.map((ofPage) => ofPage.filter((ratio) => ratio > 0)),
    random,
  );
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
