import { computed, signal } from "@preact/signals";
import { compareLanes, type Comparison, type ComparisonProgress } from "../measure/compare.js";
import type { LaneName } from "../measure/gain.js";
import type { Load } from "../measure/load.js";
import type { Playground } from "../playground.js";
import type { Scene } from "../scenes/scene.js";
import { LaneWall } from "./lane-wall.js";
import { toMeasured, type Measured } from "./measured.js";
import { runAlone } from "./run-alone.js";
import { currentSetup, isSameSetup } from "./setup.js";

export type ComparisonState =
  | { readonly phase: "idle" }
  /** Missing models are loading. */
  | { readonly phase: "loading" }
  /** The trial round runs. */
  | { readonly phase: "trial" }
  | { readonly phase: "measuring"; readonly progress: ComparisonProgress }
  | { readonly phase: "done"; readonly measured: Measured }
  /** Stopped by the visitor, by a hidden tab or by a failure; the message names the cause. */
  | { readonly phase: "stopped"; readonly message: string };

/** Runs one comparison of a scene at a time. */
export class ComparisonRun {
  readonly playground: Playground;
  readonly scene: Scene;
  readonly state = signal<ComparisonState>({ phase: "idle" });
  /** True if the visitor has changed something that the shown result depends on. */
  readonly isOutdated = computed(() => {
    const state = this.state.value;
    return state.phase === "done" && !isSameSetup(state.measured.setup, currentSetup(this.playground, this.scene));
  });
  /** Shows the answers of each lane. */
  readonly walls: Readonly<Record<LaneName, LaneWall>> = { batched: new LaneWall(), single: new LaneWall() };
  #stopping = new AbortController();

  constructor(playground: Playground, scene: Scene) {
    this.playground = playground;
    this.scene = scene;
  }

  async start(): Promise<void> {
    this.#stopping = new AbortController();
    const ended = await runAlone(this.playground, this.#stopping, (stopping) => this.#measure(stopping));
    this.state.value =
      "result" in ended ? { phase: "done", measured: ended.result } : { phase: "stopped", message: ended.message };
  }

  stop(reason = "Stopped."): void {
    this.#stopping.abort(reason);
  }

  /** Stops the current comparison and releases the walls. */
  dispose(): void {
    this.stop();
    for (const wall of Object.values(this.walls)) wall.dispose();
  }

  async #measure(stopping: AbortSignal): Promise<Measured> {
    this.state.value = { phase: "loading" };
    const lanes = this.playground.lanes.peek();
    if (lanes === null) throw new Error("There is no model to compare.");
    const [batched, single] = await Promise.all([lanes.batched.load(), lanes.single.load()]);
    stopping.throwIfAborted();
    this.state.value = { phase: "trial" };
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
      onSlice: (progress) => (this.state.value = { phase: "measuring", progress }),
    });
  }
}

/** The slices of the shown or running comparison. */
export function slicesOf(state: ComparisonState): Comparison["slices"] {
  if (state.phase === "measuring") return state.progress.soFar;
  return state.phase === "done" ? state.measured.comparison.slices : [];
}
