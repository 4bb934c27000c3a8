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

/** Longest wait for a batch that a cut-off slice left running. */
const SETTLE_MS = 10_000;

/** Answers per second in one slice. */
export interface SliceResult {
  readonly lane: LaneName;
  readonly perSecond: number;
}

/** What one lane did in all its slices together. */
export interface LaneSummary {
  readonly perSecond: number;
  readonly perFrame: number;
  readonly waits: WaitStatistics;
  readonly meanFramesToPaint: number;
  /** Share of the requests that were still waiting when their slice was cut off, 0 to 1. */
  readonly cutOffShare: number;
  /** Share of the frames due that were not painted, 0 to 1. */
  readonly droppedFrames: number;
  readonly meanBatchSize: number;
  /** framebatch's own account of the same slices, warm-ups included. */
  readonly stats: ModelStats;
}

export interface Comparison {
  readonly load: Load;
  readonly framePeriodMs: number;
  /** Predictions per second with batching, in those without. */
  readonly ratio: RateRatio;
  readonly batched: LaneSummary;
  readonly single: LaneSummary;
  /** In the order in which they ran. */
  readonly slices: readonly SliceResult[];
}

/** Where a comparison has got to. */
export interface ComparisonProgress {
  /** The lane that runs now. */
  readonly next: LaneName;
  readonly soFar: readonly SliceResult[];
  /** Slices in all. */
  readonly total: number;
}

export interface CompareOptions {
  readonly signal: AbortSignal;
  /** Hears of each slice before it runs. */
  readonly onSlice: (progress: ComparisonProgress) => void;
  /** Hears of each answer, those of the trial round too. */
  readonly onAnswer: Readonly<Record<LaneName, OnAnswer>>;
}

type Models = Readonly<Record<LaneName, BatchedModel>>;

/**
 * Runs the same load on both lanes, in alternating slices of time whose order is drawn by a fixed seed: a slow moment of
 * the device meets both. A trial round first tells how long the slices must be, and warms both models up.
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

/** How long every caller takes to get one answer, in the slower lane, in milliseconds. */
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

/** In each pair both lanes run once; which goes first is drawn. */
function drawOrder(pairs: number): LaneName[] {
  const random = seededRandom(SEED);
  return Array.from({ length: pairs }, (): LaneName[] =>
    random() < 0.5 ? ["batched", "single"] : ["single", "batched"],
  ).flat();
}

/** Waits for batches that a cut-off slice left running: they would slow the next slice down. */
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
