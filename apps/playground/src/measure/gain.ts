import type { Quantile } from "./latency-statistics.js";
import { geometricMean, pairedRatio, type Ratio } from "./paired-ratio.js";
import { rounded } from "./rounded.js";

/**
 * What a comparison measures: predictions per second, and three latencies in ms: the median, the 99th percentile, and
 * the first answer after all callers have called at once.
 */
export const MEASURES = ["throughput", "median", "p99", "first"] as const;
export type Measure = (typeof MEASURES)[number];

export type LaneName = "batched" | "single";

/** The figures of one slice without its bursts. */
export interface RateFigures {
  readonly lane: LaneName;
  /** Predictions per second. */
  readonly throughput: number;
  readonly median: Quantile;
  readonly p99: Quantile;
}

/** The figures of one slice and its bursts. */
export interface SliceFigures extends RateFigures {
  readonly first: Quantile;
}

/** A figure of a lane: the geometric mean of its slices. */
export interface LaneFigure {
  readonly value: number;
  /** True for a latency that is a lower bound, because requests were cut off. */
  readonly isAtLeast: boolean;
}

/** One measure of both lanes. */
export interface Gain {
  readonly batched: LaneFigure;
  readonly single: LaneFigure;
  /** By which factor batching is better. Below 1, it is worse. */
  readonly factor: Ratio;
}

export type Gains = Readonly<Record<Measure, Gain>>;

/** Whether batching is better. `unclear`: the slices vary too much. */
export type Effect = "better" | "worse" | "same" | "unclear";

/** Minimum factor that counts as a difference. */
export const NOTICEABLE = 1.1;

/** Factors that may be as large as this, and are probably smaller, count as no difference. */
export const NEGLIGIBLE = 1.25;

/** Differences of a latency below this decide nothing, because both answers come with the same frame or the next: at 60 Hz. */
const FELT_LATENCY_MS = 1000 / 60;

/** Differences of a round of all callers below this decide nothing, in ms. */
const FELT_ROUND_MS = 0.5;

/** How much longer than what is felt a difference may be at the ends of its interval, and still decide nothing. */
const SLACK = 2;

/** Computes all measures from the slices, rounded. Each pair of slices has one of each lane. */
export function gainsOf(slices: readonly SliceFigures[]): Gains {
  const batched = slices.filter(({ lane }) => lane === "batched");
  const single = slices.filter(({ lane }) => lane === "single");
  const gain = (figure: (slice: SliceFigures) => Quantile): Gain =>
    latencyGain(batched.map(figure), single.map(figure));
  return {
    throughput: throughputGain(batched, single),
    median: gain((slice) => slice.median),
    p99: gain((slice) => slice.p99),
    first: gain((slice) => slice.first),
  };
}

/** @param callers of the load that was measured */
export function effectOf(measure: Measure, gain: Gain, callers: number): Effect {
  const { value, low, high } = gain.factor;
  if (isUnfelt(measure, gain, callers)) return "same";
  if (low > 1 && value >= NOTICEABLE) return gain.batched.isAtLeast ? "unclear" : "better";
  if (high < 1 && value <= 1 / NOTICEABLE) return gain.single.isAtLeast ? "unclear" : "worse";
  return !isNoticeable(value) && low > 1 / NEGLIGIBLE && high < NEGLIGIBLE ? "same" : "unclear";
}

/** True if a factor differs enough from 1 to count as a difference. */
export function isNoticeable(factor: number): boolean {
  return factor >= NOTICEABLE || factor <= 1 / NOTICEABLE;
}

/** True if nobody feels the difference: of a latency, or of the time of a round, in which each caller gets one answer. */
export function isUnfelt(measure: Measure, { single, factor }: Gain, callers: number): boolean {
  const [offMs, feltMs] =
    measure === "throughput" ? [(1000 * callers) / single.value, FELT_ROUND_MS] : [single.value, FELT_LATENCY_MS];
  const differenceMs = (ratio: number): number => Math.abs(offMs - offMs / ratio);
  const isCertain = Math.max(differenceMs(factor.low), differenceMs(factor.high)) < SLACK * feltMs;
  return isCertain && differenceMs(factor.value) < feltMs;
}

function throughputGain(batched: readonly SliceFigures[], single: readonly SliceFigures[]): Gain {
  const rates = (slices: readonly SliceFigures[]): number[] => slices.map(({ throughput }) => throughput);
  const figure = (slices: readonly SliceFigures[]): LaneFigure => ({
    value: rounded(geometricMean(rates(slices))),
    isAtLeast: false,
  });
  const factor = roundedRatio(pairedRatio(rates(batched), rates(single)));
  return { batched: figure(batched), single: figure(single), factor };
}

function latencyGain(batched: readonly Quantile[], single: readonly Quantile[]): Gain {
  const times = (quantiles: readonly Quantile[]): number[] => quantiles.map(({ ms }) => ms);
  const figure = (quantiles: readonly Quantile[]): LaneFigure => ({
    value: rounded(geometricMean(times(quantiles))),
    isAtLeast: quantiles.some(({ isAtLeast }) => isAtLeast),
  });
  const factor = roundedRatio(pairedRatio(times(single), times(batched)));
  return { batched: figure(batched), single: figure(single), factor };
}

function roundedRatio({ value, low, high }: Ratio): Ratio {
  return { value: rounded(value), low: rounded(low), high: rounded(high) };
}
