import type { Quantile } from "./latency-statistics.js";
import { geometricMean, pairedRatio, type Ratio } from "./paired-ratio.js";

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
const NEGLIGIBLE = 1.25;

/** Differences of a latency below this are too short to notice: a quarter of a frame at 60 Hz, in ms. */
const NOTICEABLE_MS = 4;

/** Such differences must certainly be below this: a frame at 60 Hz, in ms. */
const FRAME_MS = 1000 / 60;

/** Computes all measures from the slices. Each pair of slices has one of each lane. */
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

export function effectOf(measure: Measure, gain: Gain): Effect {
  const { value, low, high } = gain.factor;
  if (measure !== "throughput" && isTooShort(gain)) return "same";
  if (low > 1 && value >= NOTICEABLE) return gain.batched.isAtLeast ? "unclear" : "better";
  if (high < 1 && value <= 1 / NOTICEABLE) return gain.single.isAtLeast ? "unclear" : "worse";
  return !isNoticeable(value) && low > 1 / NEGLIGIBLE && high < NEGLIGIBLE ? "same" : "unclear";
}

/** True if a factor differs enough from 1 to count as a difference. */
export function isNoticeable(factor: number): boolean {
  return factor >= NOTICEABLE || factor <= 1 / NOTICEABLE;
}

/** True if the latencies differ by less than anyone notices, and certainly by less than a frame. */
function isTooShort({ single, factor }: Gain): boolean {
  const differenceMs = (ratio: number): number => Math.abs(single.value - single.value / ratio);
  const isShort = differenceMs(factor.value) < NOTICEABLE_MS;
  return isShort && differenceMs(factor.low) < FRAME_MS && differenceMs(factor.high) < FRAME_MS;
}

function throughputGain(batched: readonly SliceFigures[], single: readonly SliceFigures[]): Gain {
  const rates = (slices: readonly SliceFigures[]): number[] => slices.map(({ throughput }) => throughput);
  const figure = (slices: readonly SliceFigures[]): LaneFigure => ({
    value: geometricMean(rates(slices)),
    isAtLeast: false,
  });
  return { batched: figure(batched), single: figure(single), factor: pairedRatio(rates(batched), rates(single)) };
}

function latencyGain(batched: readonly Quantile[], single: readonly Quantile[]): Gain {
  const times = (quantiles: readonly Quantile[]): number[] => quantiles.map(({ ms }) => ms);
  const figure = (quantiles: readonly Quantile[]): LaneFigure => ({
    value: geometricMean(times(quantiles)),
    isAtLeast: quantiles.some(({ isAtLeast }) => isAtLeast),
  });
  return { batched: figure(batched), single: figure(single), factor: pairedRatio(times(single), times(batched)) };
}
