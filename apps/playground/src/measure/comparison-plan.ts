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
  /**
   * How long the bursts of each slice start, in ms. There is at least one. `null`: the start of a slice is its burst, as
   * all callers begin together.
   */
  readonly burstsMs: number | null;
}

/** From the click to the answer, in ms, at most; the start of the models is part of it. */
export const ANSWER_MS = 27_000;

/** An interval needs this many pairs. */
export const LEAST_PAIRS = 3;

/** How many pairs are added at a time while the result is unclear. */
export const EXTRA_PAIRS = 2;

/** The times of the trial round, in which every caller sends one request. */
export const trialTimes: SliceTimes = { askingMs: 0, drainMs: 3000 };

const QUICK: ComparisonPlan = {
  pairs: 6,
  maxPairs: 12,
  warmUp: { askingMs: 150, drainMs: 1000 },
  slice: { askingMs: 600, drainMs: 1000 },
  burstsMs: 100,
};

/** Maximum duration of a round, in ms, for which a quick slice contains enough rounds. */
const QUICK_ROUND_MS = 250;
/** Part of the time of a slice in which callers ask. The rest is for missing answers and for batches that still run. */
const ASKING = 0.45;
const DRAINING = 0.35;
const LONGEST_SLICE_MS = 2000;

/**
 * Plans twelve slices in about ten seconds. A slow device gets fewer and longer slices without bursts of their own, each
 * with two rounds if they fit.
 * @param leftMs until the answer
 */
export function planComparison(roundMs: number, leftMs: number): ComparisonPlan {
  if (roundMs <= QUICK_ROUND_MS) return QUICK;
  const shareMs = leftMs / (2 * LEAST_PAIRS);
  const longestMs = Math.max(LONGEST_SLICE_MS, roundMs);
  const askingMs = Math.min(ASKING * shareMs, longestMs, Math.max(QUICK.slice.askingMs, 2 * roundMs));
  const slice = { askingMs, drainMs: Math.min(DRAINING * shareMs, Math.max(askingMs, roundMs)) };
  return { pairs: LEAST_PAIRS, maxPairs: 2 * LEAST_PAIRS + 1, warmUp: null, slice, burstsMs: null };
}

/** Estimates the duration of a slice and its warm-up, in ms, before any of them has run. */
export function expectedSliceMs({ warmUp, slice }: ComparisonPlan, roundMs: number): number {
  const run = ({ askingMs, drainMs }: SliceTimes): number => askingMs + Math.min(roundMs, drainMs);
  return run(slice) + (warmUp === null ? 0 : run(warmUp));
}
