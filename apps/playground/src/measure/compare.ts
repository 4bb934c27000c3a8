import { seededRandom } from "../seeded-random.js";
import { MAX_BATCH } from "../settings.js";
import { measuredBatchCost } from "./batch-cost.js";
import { EXTRA_PAIRS, expectedSliceMs, planComparison, trialTimes } from "./comparison-plan.js";
import { gainsOf, type LaneName, type RateFigures, type SliceFigures } from "./gain.js";
import { measureFramePeriod } from "./frame-recorder.js";
import { summariseLane, type LaneSummary } from "./lane-summary.js";
import { mean } from "./latency-statistics.js";
import type { Load } from "./load.js";
import { decide, type Outcome } from "./outcome.js";
import { measureFirstAnswer } from "./first-answer.js";
import { joinedRecording, type Recording } from "./recording.js";
import { settle } from "./settle.js";
import { runSlice, type OnAnswer, type Slice } from "./slice.js";
import { SliceSeries, type LaneRuns, type LaneSlice, type Models } from "./slice-series.js";

const SEED = 21;

/** A lane keeps up if it answers at least this share of the requests in each painted frame. */
const KEEPS_UP = 0.9;

export interface Comparison extends Outcome {
  readonly framePeriodMs: number;
  readonly batched: LaneSummary;
  readonly single: LaneSummary;
  /** In the order of execution. */
  readonly slices: readonly SliceFigures[];
  /** The slices of each lane, one after another, for the race. */
  readonly recordings: Readonly<Record<LaneName, Recording>>;
}

/** The progress of a comparison. */
export interface ComparisonProgress {
  /** The lane that runs now. */
  readonly next: LaneName;
  readonly soFar: readonly RateFigures[];
  /** Number of slices in total. It grows while the result is unclear. */
  readonly total: number;
  /** Expected time to the end, in ms. */
  readonly remainingMs: number;
}

export interface CompareOptions {
  /** The largest batch that the batched model may run; `undefined` for the default. */
  readonly maxBatch: number | undefined;
  readonly signal: AbortSignal;
  /** Called before each slice. */
  readonly onSlice: (progress: ComparisonProgress) => void;
  /** Called for each answer, including those of the trial round. */
  readonly onAnswer: Readonly<Record<LaneName, OnAnswer>>;
}

/**
 * Runs the same load on both lanes in alternating slices. The order is random with a fixed seed, so that a slow period
 * of the device affects both lanes. A trial round first warms up both models and determines the length of the slices.
 * While the result is unclear, more slices follow, up to a limit.
 */
export async function compareLanes(models: Models, load: Load, options: CompareOptions): Promise<Comparison> {
  const framePeriodMs = await measureFramePeriod();
  const { signal } = options;
  const random = seededRandom(SEED);
  const run: LaneRuns = {
    slice: (lane, times) => runSlice(models[lane], load, times, framePeriodMs, signal, options.onAnswer[lane]),
    firstAnswer: (lane, burstsMs) => measureFirstAnswer(models[lane], load, { burstsMs, random, signal }),
  };
  const roundMs = await longestRound(models, run);
  models.batched.resetStats();
  models.single.resetStats();
  const plan = planComparison(roundMs);
  const expectedMs = expectedSliceMs(plan, roundMs);
  const series = new SliceSeries(models, run, plan, (next, total) =>
    options.onSlice(progressOf(series.runs, next, total, expectedMs)),
  );
  let result: Comparison;
  let pairs = plan.pairs;
  do {
    await series.extendTo(pairs);
    result = conclude(series, models, load, { framePeriodMs, maxBatch: options.maxBatch });
    pairs += EXTRA_PAIRS;
  } while (pairs <= plan.maxPairs && decide(result).answer === "unclear");
  return result;
}

function progressOf(runs: readonly LaneSlice[], next: LaneName, total: number, expectedMs: number): ComparisonProgress {
  const usualMs = runs.length === 0 ? expectedMs : mean(runs.map(({ totalMs }) => totalMs));
  const remainingMs = (total - runs.length) * usualMs;
  return { next, soFar: runs.map(({ figures }) => figures), total, remainingMs };
}

function conclude(
  { runs, figures: slices }: SliceSeries,
  models: Models,
  { callers, pace }: Load,
  { framePeriodMs, maxBatch = MAX_BATCH }: { framePeriodMs: number; maxBatch: number | undefined },
): Comparison {
  const slicesOf = (lane: LaneName): Slice[] =>
    runs.filter(({ figures }) => figures.lane === lane).map(({ slice }) => slice);
  const summary = (lane: LaneName): LaneSummary => summariseLane(slicesOf(lane), models[lane].stats());
  const [batched, single] = [summary("batched"), summary("single")];
  return {
    callers,
    pace,
    maxBatch,
    framePeriodMs,
    gains: gainsOf(slices),
    cost: measuredBatchCost(batched.stats),
    keepsUp: pace === "frame" && Math.min(batched.perFrame, single.perFrame) >= KEEPS_UP * callers,
    batched,
    single,
    slices: [...slices],
    recordings: { batched: joinedRecording(slicesOf("batched")), single: joinedRecording(slicesOf("single")) },
  };
}

/** Measures the time in which every caller gets one answer, in the slower lane, in ms. */
async function longestRound(models: Models, run: LaneRuns): Promise<number> {
  const rounds: number[] = [];
  for (const lane of ["batched", "single"] as const) {
    rounds.push((await run.slice(lane, trialTimes)).durationMs);
    await settle(models[lane]);
  }
  return Math.max(...rounds);
}
