import { ModelLane } from "../model-lanes.js";
import { loadModels } from "../run/load-models.js";
import { MeasurementRun, type RunState } from "../run/measurement-run.js";
import { toModelOptions } from "../settings.js";
import { CALLERS, sweep, type SweepOptions, type SweepResult } from "./sweep.js";
import { variantsOf } from "./variants.js";

/** What is measured now, and how many things come before it. */
export interface SweepProgress {
  readonly name: string;
  readonly done: number;
  readonly total: number;
}

export type SweepState = RunState<SweepProgress, SweepResult>;

/** Tries other loads and settings. */
export class SweepRun extends MeasurementRun<SweepProgress, SweepResult> {
  protected async measure(stopping: AbortSignal): Promise<SweepResult> {
    const { lanes, settings } = this.playground;
    const source = this.scene.model.peek();
    if (source === null) throw new Error("There is no model to measure.");
    this.show({ name: "Loading", done: 0, total: 1 });
    const models = await loadModels(lanes.peek(), stopping);
    const current = settings.modelSettings.peek();
    const variants = variantsOf(current, models.batched.executionProvider, "gpu" in navigator);
    const total = CALLERS.length + variants.length;
    const withVariant: SweepOptions["withVariant"] = async ({ change }, use) => {
      const lane = new ModelLane(source, toModelOptions({ ...current, ...change }));
      const dispose = (): void => lane.dispose();
      stopping.addEventListener("abort", dispose);
      try {
        return await use(await lane.load());
      } finally {
        stopping.removeEventListener("abort", dispose);
        lane.dispose();
      }
    };
    return sweep({
      models,
      load: this.createLoad(),
      variants,
      withVariant,
      signal: stopping,
      onStep: (name, done) => this.show({ name, done, total }),
    });
  }
}
