import { signal } from "@preact/signals";
import { compareLanes, type Comparison, type ComparisonProgress, type LaneName } from "../measure/compare.js";
import type { Load } from "../measure/load.js";
import type { Playground } from "../playground.js";
import { LaneWall } from "./lane-wall.js";

export type ComparisonState =
  | { readonly phase: "idle" }
  /** Missing models are loading. */
  | { readonly phase: "loading" }
  | { readonly phase: "measuring"; readonly progress: ComparisonProgress }
  | { readonly phase: "done"; readonly comparison: Comparison }
  /** Stopped by the visitor, by a hidden tab or by a failure; the message names the cause. */
  | { readonly phase: "stopped"; readonly message: string };

/** Runs one comparison at a time. */
export class ComparisonRun {
  readonly state = signal<ComparisonState>({ phase: "idle" });
  /** Shows the answers of each lane. */
  readonly walls: Readonly<Record<LaneName, LaneWall>> = { batched: new LaneWall(), single: new LaneWall() };
  readonly #playground: Playground;
  #stopping = new AbortController();

  constructor(playground: Playground) {
    this.#playground = playground;
  }

  async start(createLoad: () => Load): Promise<void> {
    const stopping = new AbortController();
    this.#stopping = stopping;
    this.#playground.comparing.value = true;
    document.addEventListener("visibilitychange", () => this.#stopWhereHidden(), { signal: stopping.signal });
    try {
      this.state.value = { phase: "done", comparison: await this.#measure(createLoad, stopping.signal) };
    } catch (error) {
      this.state.value = { phase: "stopped", message: stopping.signal.aborted ? String(stopping.signal.reason) : "" };
      if (!stopping.signal.aborted) this.#playground.reportFailure(error);
    } finally {
      stopping.abort();
      this.#playground.comparing.value = false;
    }
  }

  stop(reason = "Stopped."): void {
    this.#stopping.abort(reason);
  }

  /** Stops the current comparison and releases the walls. */
  dispose(): void {
    this.stop();
    for (const wall of Object.values(this.walls)) wall.dispose();
  }

  async #measure(createLoad: () => Load, stopping: AbortSignal): Promise<Comparison> {
    this.state.value = { phase: "loading" };
    const lanes = this.#playground.lanes.peek();
    if (lanes === null) throw new Error("There is no model to compare.");
    const { batched, single } = lanes;
    const [batchedModel, singleModel] = await Promise.all([batched.load(), single.load()]);
    stopping.throwIfAborted();
    const load = createLoad();
    for (const wall of Object.values(this.walls)) wall.begin(load);
    return compareLanes({ batched: batchedModel, single: singleModel }, load, {
      signal: stopping,
      onAnswer: {
        batched: (caller, turn, outputs) => this.walls.batched.answer(caller, turn, outputs),
        single: (caller, turn, outputs) => this.walls.single.answer(caller, turn, outputs),
      },
      onSlice: (progress) => (this.state.value = { phase: "measuring", progress }),
    });
  }

  #stopWhereHidden(): void {
    if (document.hidden)
      this.stop("Stopped: this tab was hidden, and hidden tabs paint no frames. Run the comparison again.");
  }
}
