import { compareLanes, type Compared, type ComparisonProgress } from "../measure/compare.js";
import { ANSWER_MS } from "../measure/comparison-plan.js";
import type { LaneName, RateFigures } from "../measure/gain.js";
import type { Load } from "../measure/load.js";
import type { Models } from "../measure/slice-series.js";
import { loadModels } from "../run/load-models.js";
import { MeasurementRun, type RunState } from "../run/measurement-run.js";
import { completeCheck } from "./complete-check.js";
import { knownFromLoad, knownFromModel, type Finding } from "./finding.js";
import { LaneWall } from "./lane-wall.js";
import { CANNOT } from "./describe-finding.js";
import { snippetOf, toMeasured, type Measured } from "./measured.js";

type Step =
  /** Missing models are loading. */
  | { readonly step: "loading" }
  /** The trial round runs. */
  | { readonly step: "trial" }
  | ({ readonly step: "measuring" } & ComparisonProgress);

export type ComparisonState = RunState<Step, Finding>;

/** How long real items may complete the check of batches before a comparison, in ms. */
const CHECK_MS = 5000;

/** Answers whether batching pays in a scene: from what is known, or from a comparison of both lanes. */
export class ComparisonRun extends MeasurementRun<Step, Finding> {
  /** Shows the answers of each lane. */
  readonly walls: Readonly<Record<LaneName, LaneWall>> = { batched: new LaneWall(), single: new LaneWall() };
  #isPatient = false;

  /** Compares, however long a slow model takes. */
  async startPatiently(): Promise<void> {
    this.#isPatient = true;
    await this.start();
    this.#isPatient = false;
  }

  /** Stops the current comparison and releases the walls. */
  dispose(): void {
    this.stop();
    for (const wall of Object.values(this.walls)) wall.dispose();
  }

  protected async measure(stopping: AbortSignal): Promise<Finding> {
    const endMs = performance.now() + ANSWER_MS;
    const { settings, lanes } = this.playground;
    const fromLoad = knownFromLoad({ callers: settings.callers.peek() }, settings.maxBatch.peek());
    if (fromLoad !== null) return { kind: "cannot", cannot: fromLoad, snippet: null };
    this.show({ step: "loading" });
    const models = await loadModels(lanes.peek(), stopping);
    const load = this.createLoad();
    this.show({ step: "trial" });
    await completeCheck(models.batched, load, { stopping, late: AbortSignal.timeout(CHECK_MS) });
    const fromModel = knownFromModel(models.batched);
    if (fromModel !== null) {
      const found = { verdict: { batching: false }, headline: CANNOT[fromModel.why] };
      return { kind: "cannot", cannot: fromModel, snippet: snippetOf(this.playground, this.scene, load, found) };
    }
    const compared = await this.#compare(models, load, stopping, endMs);
    return "slowness" in compared
      ? { kind: "slow", slowness: compared.slowness, callers: load.callers }
      : { kind: "measured", measured: toMeasured(this.playground, this.scene, load, compared.comparison) };
  }

  #compare(models: Models, load: Load, signal: AbortSignal, endMs: number): Promise<Compared> {
    for (const wall of Object.values(this.walls)) wall.begin(load);
    return compareLanes(models, load, {
      maxBatch: this.playground.settings.modelOptions.peek().maxBatchSize,
      endMs,
      isPatient: this.#isPatient,
      signal,
      onAnswer: {
        batched: (caller, turn, outputs) => this.walls.batched.answer(caller, turn, outputs),
        single: (caller, turn, outputs) => this.walls.single.answer(caller, turn, outputs),
      },
      onSlice: (progress) => this.show({ step: "measuring", ...progress }),
    });
  }
}

/** The progress of the slices; `null` unless they run. */
export function slicesProgress(state: ComparisonState): ComparisonProgress | null {
  return state.phase === "running" && state.progress.step === "measuring" ? state.progress : null;
}

/** The measurement that is shown; `null` if there is none. */
export function measuredIn(state: ComparisonState): Measured | null {
  return state.phase === "done" && state.result.kind === "measured" ? state.result.measured : null;
}

/** The slices of the shown or running comparison. */
export function slicesOf(state: ComparisonState): readonly RateFigures[] {
  return measuredIn(state)?.comparison.slices ?? slicesProgress(state)?.soFar ?? [];
}
