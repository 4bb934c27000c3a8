import type { BatchedModel } from "framebatch";
import { measureFramePeriod } from "../measure/frame-recorder.js";
import { gainsOf, type Gains } from "../measure/gain.js";
import type { Load } from "../measure/load.js";
import { runSlice, type SliceTimes } from "../measure/slice.js";
import { SliceSeries, type Models } from "../measure/slice-series.js";
import type { GainPoint } from "./break-even.js";
import type { TriedVariant, Variant } from "./variants.js";

/** The numbers of callers of the curve. */
export const CALLERS: readonly number[] = [1, 4, 16, 64];

/** Shorter slices than those of a comparison: the sweep measures eight things in half a minute. */
const TIMES = {
  warmUp: { askingMs: 100, drainMs: 500 },
  slice: { askingMs: 300, drainMs: 700 },
} as const satisfies Readonly<Record<string, SliceTimes>>;
const CURVE_PAIRS = 3;
const VARIANT_PAIRS = 4;

export interface SweepResult {
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
  const measure = async (lanes: Models, callers: number, pairs: number): Promise<Gains> => {
    const series = new SliceSeries(
      lanes,
      (lane, times) => runSlice(lanes[lane], { ...load, callers }, times, framePeriodMs, signal, () => {}),
      TIMES,
    );
    await series.extendTo(pairs);
    return gainsOf(series.figures);
  };
  const points: GainPoint[] = [];
  for (const callers of CALLERS) {
    onStep(callers === 1 ? "1 caller" : `${callers} callers`, points.length);
    points.push({ callers, factor: (await measure(models, callers, CURVE_PAIRS)).throughput.factor });
  }
  const tried: TriedVariant[] = [];
  for (const variant of variants) {
    onStep(variant.name, points.length + tried.length);
    const use = (model: BatchedModel): Promise<Gains> =>
      measure({ batched: model, single: models.batched }, load.callers, VARIANT_PAIRS);
    const gains = await withVariant(variant, use).catch(() => null);
    signal.throwIfAborted();
    tried.push({ variant, gains });
  }
  return { points, tried };
}
