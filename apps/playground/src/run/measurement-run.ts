import { computed, signal } from "@preact/signals";
import type { Load } from "../measure/load.js";
import type { Playground } from "../playground.js";
import type { Scene } from "../scenes/scene.js";
import { runAlone } from "./run-alone.js";
import { currentSetup, isSameSetup, type Setup } from "./setup.js";

export type RunState<Progress, Result> =
  | { readonly phase: "idle" }
  | { readonly phase: "running"; readonly progress: Progress }
  /** `setup`: what was measured. */
  | { readonly phase: "done"; readonly result: Result; readonly setup: Setup }
  /** Stopped by the visitor, by a hidden tab or by a failure; the message names the cause. */
  | { readonly phase: "stopped"; readonly message: string };

/** Runs one measurement of a scene at a time, and shows its progress and its result. */
export abstract class MeasurementRun<Progress, Result> {
  readonly playground: Playground;
  readonly scene: Scene;
  readonly state = signal<RunState<Progress, Result>>({ phase: "idle" });
  /** True if the visitor has changed something that the shown result depends on. */
  readonly isOutdated = computed(() => {
    const state = this.state.value;
    return state.phase === "done" && !isSameSetup(state.setup, currentSetup(this.playground, this.scene));
  });
  #stopping = new AbortController();
  #setup: Setup;

  constructor(playground: Playground, scene: Scene) {
    this.playground = playground;
    this.scene = scene;
    this.#setup = currentSetup(playground, scene);
  }

  async start(): Promise<void> {
    this.#stopping = new AbortController();
    this.#setup = currentSetup(this.playground, this.scene);
    const ended = await runAlone(this.playground, this.#stopping, (stopping) => this.measure(stopping));
    this.state.value =
      "result" in ended
        ? { phase: "done", result: ended.result, setup: this.#setup }
        : { phase: "stopped", message: ended.message };
  }

  stop(reason = "Stopped."): void {
    this.#stopping.abort(reason);
  }

  /** Rejects with the signal's reason if it aborts. */
  protected abstract measure(stopping: AbortSignal): Promise<Result>;

  /** The scene's load as it is set now. The items of a model are known when it has loaded. */
  protected createLoad(): Load {
    this.#setup = currentSetup(this.playground, this.scene);
    return this.scene.createLoad();
  }

  protected show(progress: Progress): void {
    this.state.value = { phase: "running", progress };
  }
}
