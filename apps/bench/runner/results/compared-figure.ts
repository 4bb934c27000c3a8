import type { ByPage, Estimate } from "../../src/statistics/bootstrap.js";
import { estimateQuantileDifference, estimateQuantileRatio } from "../../src/statistics/quantile-ratio.js";
import { median, quantileOf } from "../../src/statistics/quantile.js";
import type { Random } from "../../src/statistics/random.js";
import { countPairs, estimateDifference, estimateRatio } from "../../src/statistics/ratio.js";
import { figuresOf } from "./ratios.js";

/** A figure of a lane: the median of a number of each slice, `NaN` if unknown, or a quantile of what all slices hold. */
export type Figure<Slice> = ((slice: Slice) => number) | Pooled<Slice>;

/** A quantile of the values of all slices together, because a slice has too few of them. */
export interface Pooled<Slice> {
  readonly all: (slice: Slice) => readonly number[];
  readonly share: number;
}

export function valueOf<Slice>(figure: Figure<Slice>, pages: ByPage<Slice>): number {
  if (typeof figure === "function") return median(figuresOf(pages, figure).flat().filter(Number.isFinite));
  return quantileOf(allOf(figure, pages).flat(), figure.share);
}

/** Estimates the ratio of a figure of two lanes; `null` if one of them lacks it. */
export function ratioOf<Slice>(
  figure: Figure<Slice>,
  ours: ByPage<Slice>,
  theirs: ByPage<Slice>,
  random: Random,
): Estimate | null {
  return typeof figure === "function"
    ? estimateRatio(figuresOf(ours, figure), figuresOf(theirs, figure), random)
    : estimateQuantileRatio(allOf(figure, ours), allOf(figure, theirs), figure.share, random);
}

/** Returns the number of rounds in which both lanes have the figure. */
export function roundsOf<Slice>(figure: Figure<Slice>, ours: ByPage<Slice>, theirs: ByPage<Slice>): number {
  const known = (slice: Slice): number =>
    typeof figure === "function" ? figure(slice) : Math.min(1, figure.all(slice).length);
  return countPairs(figuresOf(ours, known), figuresOf(theirs, known)).pairs;
}

/** Estimates the difference of a figure of two lanes, as `ratioOf` does the ratio. */
export function differenceOf<Slice>(
  figure: Figure<Slice>,
  ours: ByPage<Slice>,
  theirs: ByPage<Slice>,
  random: Random,
): Estimate | null {
  return typeof figure === "function"
    ? estimateDifference(figuresOf(ours, figure), figuresOf(theirs, figure), random)
    : estimateQuantileDifference(allOf(figure, ours), allOf(figure, theirs), figure.share, random);
}

/** Returns the values of each page. */
export function allOf<Slice>({ all }: Pooled<Slice>, pages: ByPage<Slice>): ByPage {
  return pages.map((slices) => slices.flatMap(all));
}
