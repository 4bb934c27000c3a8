import type { BatchedModel, ModelStats } from "framebatch";
import { seededRandom } from "../seeded-random.js";
import { measureFramePeriod } from "./frame-recorder.js";
import { mean, summariseWaits, type WaitStatistics } from "./latency-statistics.js";
import { planComparison, trialTimes } from "./comparison-plan.js";
import type { Load } from "./load.js";
import { rateRatio, type RateRatio } from "./rate-ratio.js";
import { runSlice, type OnAnswer, type Slice, type SliceTimes } from "./slice.js";

export type LaneName = "batched" | "single";

const SEED = 20;

/** Maximum time to wait for batches that a cut-off slice left running, in ms. */
const SETTLE_MS = 10_000;

/** The throughput of one slice, in answers per second. */
export interface SliceResult {
  readonly lane: LaneName;
  readonly perSecond: number;
}

/** The results of all slices of a lane. */
export interface LaneSummary {
  readonly perSecond: number;
  readonly perFrame: number;
  readonly waits: WaitStatistics;
  readonly meanFramesToPaint: number;
  /** Share of requests without an answer when their slice was cut off, 0 to 1. */
  readonly cutOffShare: number;
  /** Share of due frames that were dropped, 0 to 1. */
  readonly droppedFrames: number;
  readonly meanBatchSize: number;
  /** `stats()` of the same slices, including warm-ups. */
  readonly stats: ModelStats;
}

export interface Comparison {
  readonly load: Load;
  readonly framePeriodMs: number;
  /** Throughput with batching divided by throughput without. */
  readonly ratio: RateRatio;
  readonly batched: LaneSummary;
  readonly single: LaneSummary;
  /** In the order of execution. */
  readonly slices: readonly SliceResult[];
}

/** The progress of a comparison. */
export interface ComparisonProgress {
  /** The lane that runs now. */
  readonly next: LaneName;
  readonly soFar: readonly SliceResult[];
  /** Number of slices in total. */
  readonly total: number;
}

export interface CompareOptions {
  readonly signal: AbortSignal;
  /** Called before each slice. */
  readonly onSlice: (progress: ComparisonProgress) => void;
  /** Called for each answer, including those of the trial round. */
  readonly onAnswer: Readonly<Record<LaneName, OnAnswer>>;
}

type Models = Readonly<Record<LaneName, BatchedModel>>;

/**
 * Runs the same load on both lanes in alternating slices. The order is random with a fixed seed, so that a slow period
 * of the device affects both lanes. A trial round first warms up both models and determines the length of the slices.
 */
export async function compareLanes(
  models: Models,
  load: Load,
  { signal, onSlice, onAnswer }: CompareOptions,
): Promise<Comparison> {
  const framePeriodMs = await measureFramePeriod();
  const run = (lane: LaneName, times: SliceTimes): Promise<Slice> =>
    runSlice(models[lane], load, times, framePeriodMs, signal, onAnswer[lane]);
  const plan = planComparison(await longestRound(models, run));
  const order = drawOrder(plan.pairs);
  const runs: LaneSlice[] = [];
  models.batched.resetStats();
  models.single.resetStats();
  for (const lane of order) {
    onSlice({ next: lane, soFar: runs.map(toResult), total: order.length });
    if (plan.warmUp !== null) await run(lane, plan.warmUp);
    runs.push({ lane, slice: await run(lane, plan.slice) });
    await settle(models[lane]);
  }
  return conclude(models, load, framePeriodMs, runs);
}

interface LaneSlice {
  readonly lane: LaneName;
  readonly slice: Slice;
}

function conclude(models: Models, load: Load, framePeriodMs: number, runs: readonly LaneSlice[]): Comparison {
  const slices = runs.map(toResult);
  const rates = (lane: LaneName): number[] =>
    slices.filter((slice) => slice.lane === lane).map(({ perSecond }) => perSecond);
  const summary = (lane: LaneName): LaneSummary => ({
    ...summariseLane(runs.filter((run) => run.lane === lane).map(({ slice }) => slice)),
    stats: models[lane].stats(),
  });
  return {
    load,
    framePeriodMs,
    ratio: rateRatio(rates("batched"), rates("single")),
    batched: summary("batched"),
    single: summary("single"),
    slices,
  };
}

/** Measures the time in which every caller gets one answer, in the slower lane, in ms. */
async function longestRound(
  models: Models,
  run: (lane: LaneName, times: SliceTimes) => Promise<Slice>,
): Promise<number> {
  const rounds: number[] = [];
  for (const lane of ["batched", "single"] as const) {
    rounds.push((await run(lane, trialTimes)).durationMs);
    await settle(models[lane]);
  }
  return Math.max(...rounds);
}

/** Each pair runs both lanes once, in random order. */
function drawOrder(pairs: number): LaneName[] {
  const random = seededRandom(SEED);
  return Array.from({ length: pairs }, (): LaneName[] =>
    random() < 0.5 ? ["batched", "single"] : ["single", "batched"],
  ).flat();
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

function toResult({ lane, slice }: LaneSlice): SliceResult {
  return { lane, perSecond: (slice.answered / slice.durationMs) * 1000 };
}

function summariseLane(slices: readonly Slice[]): Omit<LaneSummary, "stats"> {
  const sum = (value: (slice: Slice) => number): number => slices.reduce((total, slice) => total + value(slice), 0);
  const waits = summariseWaits(slices.flatMap((slice) => slice.waits));
  const painted = sum((slice) => slice.frames.painted);
  const dropped = sum((slice) => slice.frames.dropped);
  return {
    perSecond: (sum((slice) => slice.answered) / sum((slice) => slice.durationMs)) * 1000,
    perFrame: sum((slice) => slice.answered) / Math.max(1, painted),
    waits,
    cutOffShare: 1 - waits.ended.length / Math.max(1, waits.count),
    meanFramesToPaint: mean(slices.flatMap((slice) => slice.framesToPaint)),
    droppedFrames: painted + dropped === 0 ? 0 : dropped / (painted + dropped),
    meanBatchSize:
      sum((slice) => slice.batches.requests) /
      Math.max(
        1,
        sum((slice) => slice.batches.count),
      ),
  };
}
