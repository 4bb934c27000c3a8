import type { Comparison, LaneSummary } from "../measure/compare.js";
import { shareWithin } from "../measure/latency-statistics.js";

const POINTS = 160;
/** Waits shorter than the browser's clock can tell. */
const SHORTEST_MS = 0.05;

/**
 * Columns for a chart: the decimal logarithm of a wait in milliseconds, and by lane the share of predictions, in per cent,
 * that were answered within it.
 */
export type LatencyCurves = [logWaits: number[], batched: number[], single: number[]];

/** Both lanes' cumulative distributions, from the first answer to a little beyond the slower lane's p99. */
export function latencyCurves({ batched, single }: Comparison): LatencyCurves {
  const shortest = Math.log10(Math.min(firstAnswer(batched), firstAnswer(single)));
  const longest = Math.log10(1.25 * Math.max(batched.waits.p99.ms, single.waits.p99.ms, 10 ** shortest));
  const step = (longest - shortest) / (POINTS - 1);
  const logWaits = Array.from({ length: POINTS }, (_, index) => shortest + index * step);
  const shares = ({ waits }: LaneSummary): number[] =>
    logWaits.map((logWait) => 100 * shareWithin(waits.ended, 10 ** logWait, waits.count));
  return [logWaits, shares(batched), shares(single)];
}

/** Logarithms of round waits, for the marks of the axis: as close as may be, but no more than `most`. */
export function roundLogWaits(low: number, high: number, most: number): number[] {
  const candidates = [[1, 2, 5], [1, 3], [1]].map((steps) => logMultiples(steps, low, high));
  return candidates.find((marks) => marks.length <= most) ?? candidates.at(-1) ?? [];
}

/** Logarithms of such multiples of the powers of ten as lie between two limits. */
function logMultiples(steps: readonly number[], low: number, high: number): number[] {
  const powers = Array.from({ length: Math.ceil(high) - Math.floor(low) + 1 }, (_, index) => Math.floor(low) + index);
  return powers
    .flatMap((power) => steps.map((step) => power + Math.log10(step)))
    .filter((mark) => mark >= low && mark <= high);
}

function firstAnswer({ waits }: LaneSummary): number {
  return Math.max(SHORTEST_MS, waits.ended[0] ?? waits.p50.ms);
}
