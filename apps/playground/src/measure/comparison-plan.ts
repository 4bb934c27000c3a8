import type { SliceTimes } from "./slice.js";

/** How long a comparison measures, and how often. */
export interface ComparisonPlan {
  /** Slices per lane. */
  readonly pairs: number;
  /** Before each slice, not counted; `null` where rounds are so long that one costs more than it mends. */
  readonly warmUp: SliceTimes | null;
  readonly slice: SliceTimes;
}

/** One round: every caller asks once. */
export const trialTimes: SliceTimes = { askingMs: 0, drainMs: 3000 };

const QUICK: ComparisonPlan = {
  pairs: 6,
  warmUp: { askingMs: 150, drainMs: 1000 },
  slice: { askingMs: 600, drainMs: 1000 },
};

/** Longest round, in milliseconds, of which a quick slice holds enough to be judged by. */
const QUICK_ROUND_MS = 250;
const LONGEST_SLICE_MS = 2000;

/** Twelve slices in about ten seconds; on a slow device fewer and longer ones, each of which holds two rounds if it can. */
export function planComparison(roundMs: number): ComparisonPlan {
  if (roundMs <= QUICK_ROUND_MS) return QUICK;
  const sliceMs = Math.min(LONGEST_SLICE_MS, Math.max(QUICK.slice.askingMs, 2 * roundMs));
  return { pairs: sliceMs > 1000 ? 3 : 5, warmUp: null, slice: { askingMs: sliceMs, drainMs: sliceMs } };
}
