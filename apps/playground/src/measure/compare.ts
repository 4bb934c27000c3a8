import type { BatchedModel } from "framebatch";
import { MAX_BATCH } from "../settings.js";
import { seededRandom } from "../seeded-random.js";
import { measuredBatchCost } from "./batch-cost.js";
import { EXTRA_PAIRS, expectedSliceMs, planComparison, trialTimes, type ComparisonPlan } from "./comparison-plan.js";
import { gainsOf, type LaneName, type SliceFigures } from "./gain.js";
import { measureFramePeriod } from "./frame-recorder.js";
import { summariseLane, type LaneSummary } from "./lane-summary.js";
import { mean, summariseWaits } from "./latency-statistics.js";
import type { Load } from "./load.js";
import { decide, type Outcome } from "./outcome.js";
import { runSlice, type OnAnswer, type Slice, type SliceTimes } from "./slice.js";

const SEED = 20;

/** Maximum time to wait for batches that a cut-off slice left running, in ms. */
const SETTLE_MS = 10_000;

/** A lane keeps up if it answers at least this share of the requests in each painted frame. */
const KEEPS_UP = 0.9;

export interface Comparison extends Outcome {
  readonly framePeriodMs: number;
  readonly batched: LaneSummary;
  readonly single: LaneSummary;
  /** In the order of execution. */
  readonly slices: readonly SliceFigures[];
}

/** The progress of a comparison. */
export interface ComparisonProgress {
  /** The lane that runs now. */
  readonly next: LaneName;
  readonly soFar: readonly SliceFigures[];
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

type Models = Readonly<Record<LaneName, BatchedModel>>;
type Run = (lane: LaneName, times: SliceTimes) => Promise<Slice>;

/**
 * Runs the same load on both lanes in alternating slices. The order is random with a fixed seed, so that a slow period
 * of the device affects both lanes. A trial round first warms up both models and determines the length of the slices.
 * While the result is unclear, more slices follow, up to a limit.
 */
export async function compareLanes(models: Models, load: Load, options: CompareOptions): Promise<Comparison> {
  const framePeriodMs = await measureFramePeriod();
  const run: Run = (lane, times) =>
    runSlice(models[lane], load, times, framePeriodMs, options.signal, options.onAnswer[lane]);
  const roundMs = await longestRound(models, run);
  models.batched.resetStats();
  models.single.resetStats();
  const plan = planComparison(roundMs);
  const series = new SliceSeries(models, run, plan, roundMs, options.onSlice);
  let result: Comparison;
  let pairs = plan.pairs;
  do {
    await series.extendTo(pairs);
    result = conclude(series.runs, models, load, { framePeriodMs, maxBatch: options.maxBatch });
    pairs += EXTRA_PAIRS;
  } while (pairs <= plan.maxPairs && decide(result).answer === "unclear");
  return result;
}

interface LaneSlice {
  readonly slice: Slice;
  readonly figures: SliceFigures;
  /** With its warm-up. */
  readonly totalMs: number;
}

/** Runs slices in pairs, each pair both lanes in random order. */
class SliceSeries {
  readonly runs: LaneSlice[] = [];
  readonly #models: Models;
  readonly #run: Run;
  readonly #plan: ComparisonPlan;
  readonly #expectedMs: number;
  readonly #onSlice: CompareOptions["onSlice"];
  readonly #random = seededRandom(SEED);

  constructor(models: Models, run: Run, plan: ComparisonPlan, roundMs: number, onSlice: CompareOptions["onSlice"]) {
    this.#models = models;
    this.#run = run;
    this.#plan = plan;
    this.#expectedMs = expectedSliceMs(plan, roundMs);
    this.#onSlice = onSlice;
  }

  async extendTo(pairs: number): Promise<void> {
    while (this.runs.length < 2 * pairs) {
      const order: LaneName[] = this.#random() < 0.5 ? ["batched", "single"] : ["single", "batched"];
      for (const lane of order) {
        this.#onSlice(this.#progress(lane, 2 * pairs));
        this.runs.push(await this.#measure(lane));
      }
    }
  }

  async #measure(lane: LaneName): Promise<LaneSlice> {
    const { warmUp, slice: times } = this.#plan;
    const startMs = performance.now();
    if (warmUp !== null) await this.#run(lane, warmUp);
    const slice = await this.#run(lane, times);
    await settle(this.#models[lane]);
    return { slice, figures: figuresOf(lane, slice), totalMs: performance.now() - startMs };
  }

  #progress(next: LaneName, total: number): ComparisonProgress {
    const usualMs = this.runs.length === 0 ? this.#expectedMs : mean(this.runs.map(({ totalMs }) => totalMs));
    const soFar = this.runs.map(({ figures }) => figures);
    return { next, soFar, total, remainingMs: (total - soFar.length) * usualMs };
  }
}

function conclude(
  runs: readonly LaneSlice[],
  models: Models,
  { callers, pace }: Load,
  { framePeriodMs, maxBatch = MAX_BATCH }: { framePeriodMs: number; maxBatch: number | undefined },
): Comparison {
  const slices = runs.map(({ figures }) => figures);
  const summary = (lane: LaneName): LaneSummary =>
    summariseLane(
      runs.filter(({ figures }) => figures.lane === lane).map(({ slice }) => slice),
      models[lane].stats(),
    );
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
    slices,
  };
}

/** Measures the time in which every caller gets one answer, in the slower lane, in ms. */
async function longestRound(models: Models, run: Run): Promise<number> {
  const rounds: number[] = [];
  for (const lane of ["batched", "single"] as const) {
    rounds.push((await run(lane, trialTimes)).durationMs);
    await settle(models[lane]);
  }
  return Math.max(...rounds);
}

/** Waits for batches that a cut-off slice left running, since they would slow down the next slice. */
async function settle(model: BatchedModel): Promise<void> {
  const giveUp = AbortSignal.timeout(SETTLE_MS);
  while (model.stats().batches.inFlight > 0 && !giveUp.aborted) {
    await new Promise<void>((resolve) => {
      model.addEventListener("batch", () => resolve(), { once: true, signal: giveUp });
      giveUp.addEventListener("abort", () => resolve(), { once: true });
    });
  }
}

function figuresOf(lane: LaneName, { answered, durationMs, waits, firstAnswer }: Slice): SliceFigures {
  const { p50, p99 } = summariseWaits(waits);
  return { lane, throughput: (answered / durationMs) * 1000, median: p50, p99, first: firstAnswer };
}
