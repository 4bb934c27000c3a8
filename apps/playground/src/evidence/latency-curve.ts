import type { Comparison } from "../measure/compare.js";
import type { LaneSummary } from "../measure/lane-summary.js";
import { shareWithin } from "../measure/latency-statistics.js";

const POINTS = 160;
/** The shortest latency that the browser's clock can measure, in ms. */
const SHORTEST_MS = 0.05;

/**
 * The columns of the chart: the decimal logarithm of the latency in ms and, per lane, the share of predictions in per
 * cent that were answered within it.
 */
export type LatencyCurves = [logWaits: number[], batched: number[], single: number[]];

/** The cumulative distributions of both lanes, from the first answer to 1.25 times the p99 of the slower lane. */
export function latencyCurves({ batched, single }: Comparison): LatencyCurves {
  const shortest = Math.log10(Math.min(firstAnswer(batched), firstAnswer(single)));
  const longest = Math.log10(1.25 * Math.max(batched.waits.p99.ms, single.waits.p99.ms, 10 ** shortest));
  const step = (longest - shortest) / (POINTS - 1);
  const logWaits = Array.from({ length: POINTS }, (_, index) => shortest + index * step);
  const shares = ({ waits }: LaneSummary): number[] =>
    logWaits.map((logWait) => 100 * shareWithin(waits.ended, 10 ** logWait, waits.count));
  return [logWaits, shares(batched), shares(single)];
}

function firstAnswer({ waits }: LaneSummary): number {
  return Math.max(SHORTEST_MS, waits.ended[0] ?? waits.p50.ms);
}
