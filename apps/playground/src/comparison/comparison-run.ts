import { compareLanes, type Comparison, type ComparisonProgress } from "../measure/compare.js";
import type { LaneName, RateFigures } from "../measure/gain.js";
import type { Load } from "../measure/load.js";
import { MeasurementRun, type RunState } from "../run/measurement-run.js";
import { LaneWall } from "./lane-wall.js";
import { toMeasured, type Measured } from "./measured.js";

type Step =
  /** Missing models are loading. */
  | { readonly step: "loading" }
  /** The trial round runs. */
  | { readonly step: "trial" }
  | ({ readonly step: "measuring" } & ComparisonProgress);

export type ComparisonState = RunState<Step, Measured>;

/** Compares both lanes of a scene. */
export class ComparisonRun extends MeasurementRun<Step, Measured> {
  /** Shows the answers of each lane. */
  readonly walls: Readonly<Record<LaneName, LaneWall>> = { batched: new LaneWall(), single: new LaneWall() };

  /** Stops the current comparison and releases the walls. */
  dispose(): void {
    this.stop();
    for (const wall of Object.values(this.walls)) wall.dispose();
  }

  protected async measure(stopping: AbortSignal): Promise<Measured> {
    this.show({ step: "loading" });
    const lanes = this.playground.lanes.peek();
    if (lanes === null) throw new Error("There is no model to compare.");
    const [batched, single] = await Promise.all([lanes.batched.load(), lanes.single.load()]);
    stopping.throwIfAborted();
    this.show({ step: "trial" });
    const load = this.scene.createLoad();
    const comparison = await this.#compare({ batched, single }, load, stopping);
    return toMeasured(this.playground, this.scene, load, comparison);
  }

  #compare(models: Parameters<typeof compareLanes>[0], load: Load, stopping: AbortSignal): Promise<Comparison> {
    for (const wall of Object.values(this.walls)) wall.begin(load);
    return compareLanes(models, load, {
      maxBatch: this.playground.settings.modelOptions.peek().maxBatchSize,
      signal: stopping,
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

/** The slices of the shown or running comparison. */
export function slicesOf(state: ComparisonState): readonly RateFigures[] {
  return state.phase === "done" ? state.result.comparison.slices : (slicesProgress(state)?.soFar ?? []);
}
