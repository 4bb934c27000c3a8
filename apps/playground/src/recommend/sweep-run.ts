import { computed, signal } from "@preact/signals";
import { runAlone } from "../comparison/run-alone.js";
import { currentSetup, isSameSetup, type Setup } from "../comparison/setup.js";
import { ModelLane } from "../model-lanes.js";
import type { Playground } from "../playground.js";
import type { Scene } from "../scenes/scene.js";
import { toModelOptions } from "../settings.js";
import { CALLERS, sweep, type SweepOptions, type SweepResult } from "./sweep.js";
import { variantsOf } from "./variants.js";

export type SweepState =
  | { readonly phase: "idle" }
  | { readonly phase: "running"; readonly name: string; readonly done: number; readonly total: number }
  | { readonly phase: "done"; readonly result: SweepResult; readonly setup: Setup }
  | { readonly phase: "stopped"; readonly message: string };

/** Tries other loads and settings, one sweep at a time. */
export class SweepRun {
  readonly playground: Playground;
  readonly scene: Scene;
  readonly state = signal<SweepState>({ phase: "idle" });
  /** True if the visitor has changed something that the shown result depends on. */
  readonly isOutdated = computed(() => {
    const state = this.state.value;
    return state.phase === "done" && !isSameSetup(state.setup, currentSetup(this.playground, this.scene));
  });
  #stopping = new AbortController();

  constructor(playground: Playground, scene: Scene) {
    this.playground = playground;
    this.scene = scene;
  }

  async start(): Promise<void> {
    this.#stopping = new AbortController();
    const ended = await runAlone(this.playground, this.#stopping, (stopping) => this.#sweep(stopping));
    this.state.value =
      "result" in ended
        ? { phase: "done", result: ended.result, setup: currentSetup(this.playground, this.scene) }
        : { phase: "stopped", message: ended.message };
  }

  stop(): void {
    this.#stopping.abort("Stopped.");
  }

  async #sweep(stopping: AbortSignal): Promise<SweepResult> {
    const { lanes, settings } = this.playground;
    const [loaded, source] = [lanes.peek(), this.scene.model.peek()];
    if (loaded === null || source === null) throw new Error("There is no model to measure.");
    this.state.value = { phase: "running", name: "Loading", done: 0, total: 1 };
    const [batched, single] = await Promise.all([loaded.batched.load(), loaded.single.load()]);
    stopping.throwIfAborted();
    const current = settings.modelSettings.peek();
    const variants = variantsOf(current, batched.executionProvider, "gpu" in navigator);
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
      models: { batched, single },
      load: this.scene.createLoad(),
      variants,
      withVariant,
      signal: stopping,
      onStep: (name, done) => (this.state.value = { phase: "running", name, done, total }),
    });
  }
}
