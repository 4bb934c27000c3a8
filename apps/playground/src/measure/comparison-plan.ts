import type { SliceTimes } from "./slice.js";

/** The number and the length of the slices of a comparison. */
export interface ComparisonPlan {
  /** Slices per lane. */
  readonly pairs: number;
  /** Slices per lane at most, if the first ones leave the result unclear. */
  readonly maxPairs: number;
  /**
   * A run before each slice that is not measured; `null` if rounds are so long that a warm-up costs more than it gains.
   */
  readonly warmUp: SliceTimes | null;
  readonly slice: SliceTimes;
  /** How long the bursts of each slice start, in ms. There is at least one. */
  readonly burstsMs: number;
}

/** The times of the trial round, in which every caller sends one request. */
export const trialTimes: SliceTimes = { askingMs: 0, drainMs: 3000 };

/** How many pairs are added at a time while the result is unclear. */
export const EXTRA_PAIRS = 2;

const QUICK: ComparisonPlan = {
  pairs: 6,
  maxPairs: 12,
  warmUp: { askingMs: 150, drainMs: 1000 },
  slice: { askingMs: 600, drainMs: 1000 },
  burstsMs: 100,
};

/** Maximum duration of a round, in ms, for which a quick slice contains enough rounds. */
const QUICK_ROUND_MS = 250;
const LONGEST_SLICE_MS = 2000;

/**
 * Plans twelve slices in about ten seconds. A slow device gets fewer and longer slices, each with two rounds if
 * possible.
 */
export function planComparison(roundMs: number): ComparisonPlan {
  if (roundMs <= QUICK_ROUND_MS) return QUICK;
  const sliceMs = Math.min(LONGEST_SLICE_MS, Math.max(QUICK.slice.askingMs, 2 * roundMs));
  const pairs = sliceMs > 1000 ? 3 : 5;
  return { pairs, maxPairs: 2 * pairs + 1, warmUp: null, slice: { askingMs: sliceMs, drainMs: sliceMs }, burstsMs: 0 };
}

/** Estimates the duration of a slice and its warm-up, in ms, before any of them has run. */
export function expectedSliceMs({ warmUp, slice }: ComparisonPlan, roundMs: number): number {
  const run = ({ askingMs, drainMs }: SliceTimes): number => askingMs + Math.min(roundMs, drainMs);
  return run(slice) + (warmUp === null ? 0 : run(warmUp));
}
