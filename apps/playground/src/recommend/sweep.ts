import type { BatchedModel } from "framebatch";
import type { ComparisonPlan } from "../measure/comparison-plan.js";
import { measureFramePeriod } from "../measure/frame-recorder.js";
import { gainsOf, type Gains } from "../measure/gain.js";
import type { Load } from "../measure/load.js";
import { runSlice, type Slice, type SliceTimes } from "../measure/slice.js";
import { measureFirstAnswer } from "../measure/first-answer.js";
import { settle } from "../measure/settle.js";
import { SliceSeries, type LaneRuns, type Models } from "../measure/slice-series.js";
import { seededRandom } from "../seeded-random.js";
import type { GainPoint } from "./break-even.js";
import type { TriedVariant, Variant } from "./variants.js";

/** The numbers of callers of the curve. */
export const CALLERS: readonly number[] = [1, 4, 16, 64];

/** Shorter slices than those of a comparison: the sweep measures eight things in half a minute. */
const TIMES = {
  warmUp: { askingMs: 100, drainMs: 500 },
  slice: { askingMs: 250, drainMs: 700 },
  burstsMs: 0,
} as const satisfies Partial<ComparisonPlan>;
const PAIRS = 4;
const SEED = 22;

/** A new model is used this long before it is measured: it checks batches and learns its run times. */
const GET_READY: SliceTimes = { askingMs: 600, drainMs: 2000 };

export interface SweepResult {
  /** Of the load with which the settings were tried. */
  readonly callers: number;
  readonly points: readonly GainPoint[];
  readonly tried: readonly TriedVariant[];
}

export interface SweepOptions {
  readonly models: Models;
  readonly load: Load;
  readonly variants: readonly Variant[];
  /** Creates the model with a change and disposes of it after its use. */
  readonly withVariant: <Result>(variant: Variant, use: (model: BatchedModel) => Promise<Result>) => Promise<Result>;
  readonly signal: AbortSignal;
  /** Called before each thing that is measured, with its name and the number of those before it. */
  readonly onStep: (name: string, done: number) => void;
}

/** Measures batching at several numbers of callers, and other settings against the current ones. */
export async function sweep({
  models,
  load,
  variants,
  withVariant,
  signal,
  onStep,
}: SweepOptions): Promise<SweepResult> {
  const framePeriodMs = await measureFramePeriod();
  const random = seededRandom(SEED);
  const run = (model: BatchedModel, callers: number, times: SliceTimes): Promise<Slice> =>
    runSlice(model, { ...load, callers }, times, framePeriodMs, signal, () => {});
  const getReady = async (model: BatchedModel): Promise<void> => {
    await run(model, load.callers, GET_READY);
    await settle(model);
  };
  const measure = async (lanes: Models, callers: number): Promise<Gains> => {
    const runs: LaneRuns = {
      slice: (lane, times) => run(lanes[lane], callers, times),
      firstAnswer: (lane, burstsMs) =>
        measureFirstAnswer(lanes[lane], { ...load, callers }, { burstsMs, random, signal }),
    };
    const series = new SliceSeries(lanes, runs, TIMES);
    await series.extendTo({ pairs: PAIRS, endMs: Infinity, least: PAIRS });
    return gainsOf(series.figures);
  };
  onStep("Warming up", 0);
  await getReady(models.batched);
  await getReady(models.single);
  const points: GainPoint[] = [];
  for (const callers of CALLERS) {
    onStep(callers === 1 ? "1 caller" : `${callers} callers`, points.length);
    points.push({ callers, factor: (await measure(models, callers)).throughput.factor });
  }
  const tried: TriedVariant[] = [];
  for (const variant of variants) {
    onStep(variant.name, points.length + tried.length);
    const use = async (model: BatchedModel): Promise<Gains> => {
      await getReady(model);
      return measure({ batched: model, single: models.batched }, load.callers);
    };
    const gains = await withVariant(variant, use).catch(() => null);
    signal.throwIfAborted();
    tried.push({ variant, gains });
  }
  return { callers: load.callers, points, tried };
}
