import { seededRandom } from "../seeded-random.js";
import { MAX_BATCH } from "../settings.js";
import { measuredBatchCost } from "./batch-cost.js";
import { EXTRA_PAIRS, expectedSliceMs, LEAST_PAIRS, planComparison, trialTimes } from "./comparison-plan.js";
import { gainsOf, type LaneName, type RateFigures, type SliceFigures } from "./gain.js";
import { measureFramePeriod } from "./frame-recorder.js";
import { summariseLane, type LaneSummary } from "./lane-summary.js";
import { mean } from "./latency-statistics.js";
import type { Load } from "./load.js";
import { decide, type Outcome } from "./outcome.js";
import { measureFirstAnswer } from "./first-answer.js";
import { noiseOf } from "./noise.js";
import { raceOf, type Race } from "./race-pair.js";
import { rounded } from "./rounded.js";
import { settle } from "./settle.js";
import { runSlice, type OnAnswer, type Slice } from "./slice.js";
import { slownessOf, type Slowness, type TrialRound } from "./slowness.js";
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
  /** The pair of slices that is nearest to the result, for the race. */
  readonly race: Race;
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
  /** True if the planned slices have left the result unclear. */
  readonly isExtended: boolean;
}

export interface CompareOptions {
  /** The largest batch that the batched model may run; `undefined` for the default. */
  readonly maxBatch: number | undefined;
  /** When the answer is due; a time of `performance.now()`. */
  readonly endMs: number;
  /** True if the visitor waits for a slow model, past `endMs` if it must be. */
  readonly isPatient: boolean;
  readonly signal: AbortSignal;
  /** Called before each slice. */
  readonly onSlice: (progress: ComparisonProgress) => void;
  /** Called for each answer, including those of the trial round. */
  readonly onAnswer: Readonly<Record<LaneName, OnAnswer>>;
}

/** A comparison; or why there is none, if the model is too slow. */
export type Compared = { readonly comparison: Comparison } | { readonly slowness: Slowness };

/**
 * Runs the same load on both lanes in alternating slices. The order is random with a fixed seed, so that a slow period
 * of the device affects both lanes. A trial round first warms up both models and determines the length of the slices.
 * While the result is unclear, more slices follow, up to a limit and until the answer is due.
 */
export async function compareLanes(models: Models, load: Load, options: CompareOptions): Promise<Compared> {
  const framePeriodMs = await measureFramePeriod();
  const run = laneRuns(models, load, framePeriodMs, options);
  const rounds = await tryLanes(models, load, run, options);
  const slowness = slownessOf(load.callers, rounds);
  if (slowness !== null && !options.isPatient) return { slowness };
  const endMs = slowness === null ? options.endMs : performance.now() + slowness.needMs;
  const roundMs = Math.max(...rounds.map(({ durationMs }) => durationMs));
  const plan = planComparison(roundMs, endMs - performance.now());
  const series: SliceSeries = new SliceSeries(models, run, plan, (next, total) =>
    options.onSlice(progressOf(series.runs, { next, total, usual: plan.pairs }, expectedSliceMs(plan, roundMs))),
  );
  let result: Comparison;
  let pairs = plan.pairs;
  do {
    await series.extendTo({ pairs, endMs, least: LEAST_PAIRS });
    result = conclude(series, models, load, { framePeriodMs, maxBatch: options.maxBatch });
    pairs += EXTRA_PAIRS;
  } while (pairs <= plan.maxPairs && series.nextEndMs < endMs && decide(result).answer === "unclear");
  return { comparison: result };
}

function laneRuns(models: Models, load: Load, framePeriodMs: number, { signal, onAnswer }: CompareOptions): LaneRuns {
  const random = seededRandom(SEED);
  return {
    slice: (lane, times) => runSlice(models[lane], load, times, framePeriodMs, signal, onAnswer[lane]),
    firstAnswer: (lane, burstsMs) => measureFirstAnswer(models[lane], load, { burstsMs, random, signal }),
  };
}

interface Planned {
  readonly next: LaneName;
  readonly total: number;
  /** Number of pairs that were planned at first. */
  readonly usual: number;
}

function progressOf(
  runs: readonly LaneSlice[],
  { next, total, usual }: Planned,
  expectedMs: number,
): ComparisonProgress {
  const usualMs = runs.length === 0 ? expectedMs : mean(runs.map(({ totalMs }) => totalMs));
  const remainingMs = (total - runs.length) * usualMs;
  return { next, soFar: runs.map(({ figures }) => figures), total, remainingMs, isExtended: total > 2 * usual };
}

function conclude(
  { runs, figures: slices }: SliceSeries,
  models: Models,
  { callers, pace }: Load,
  { framePeriodMs, maxBatch = MAX_BATCH }: { framePeriodMs: number; maxBatch: number | undefined },
): Comparison {
  const runsOf = (lane: LaneName): LaneSlice[] => runs.filter(({ figures }) => figures.lane === lane);
  const slicesOf = (lane: LaneName): Slice[] => runsOf(lane).map(({ slice }) => slice);
  const summary = (lane: LaneName): LaneSummary => summariseLane(slicesOf(lane), models[lane].stats());
  const [batched, single] = [summary("batched"), summary("single")];
  const gains = gainsOf(slices);
  return {
    callers,
    pace,
    maxBatch,
    framePeriodMs,
    gains,
    cost: measuredBatchCost(batched.stats),
    batchSize: batched.meanBatchSize === 0 ? null : rounded(batched.meanBatchSize),
    noise: noiseOf(slices),
    keepsUp: pace === "frame" && Math.min(batched.perFrame, single.perFrame) >= KEEPS_UP * callers,
    batched,
    single,
    slices: [...slices],
    race: raceOf(slicesOf("batched"), slicesOf("single"), gains.throughput.factor.value),
  };
}

/**
 * Lets every caller get one answer in each lane, and forgets the statistics of it. It ends after a slow lane, unless the
 * visitor is patient.
 */
async function tryLanes(
  models: Models,
  { callers }: Load,
  run: LaneRuns,
  { isPatient }: CompareOptions,
): Promise<TrialRound[]> {
  const rounds: TrialRound[] = [];
  for (const lane of ["single", "batched"] as const) {
    const startMs = performance.now();
    const { answersMs, durationMs } = await run.slice(lane, trialTimes);
    await settle(models[lane]);
    const isCut = answersMs.length === 0;
    rounds.push({ answers: answersMs.length, durationMs: isCut ? performance.now() - startMs : durationMs });
    models[lane].resetStats();
    if (!isPatient && slownessOf(callers, rounds) !== null) break;
  }
  return rounds;
}
