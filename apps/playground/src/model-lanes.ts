import { computed, signal } from "@preact/signals";
import { createBatchedModel, type BatchedModel, type LoadProgress } from "framebatch";
import type { LaneOptions } from "./lane-options.js";
import type { SceneModel } from "./scenes/scene.js";

export type LaneState =
  | { readonly phase: "absent" }
  | { readonly phase: "loading"; readonly progress: LoadProgress | null }
  | { readonly phase: "ready"; readonly model: BatchedModel }
  | { readonly phase: "failed"; readonly error: unknown };

/** Manages the lifetime of one model: created on first use, created again after a failure, disposed once. */
export class ModelLane {
  readonly state = signal<LaneState>({ phase: "absent" });
  readonly model = computed(() => (this.state.value.phase === "ready" ? this.state.value.model : null));
  readonly #open: NonNullable<SceneModel["open"]>;
  readonly #options: LaneOptions;
  readonly #disposed = new AbortController();
  #loading: Promise<BatchedModel> | null = null;

  constructor({ source, options: own, open }: SceneModel, options: LaneOptions) {
    this.#open = open ?? ((all) => createBatchedModel(source, { ...own, ...all }));
    this.#options = options;
  }

  /** Loads the model. Returns the same promise while loading or ready, and starts a new attempt after a failure. */
  load(): Promise<BatchedModel> {
    if (this.#loading === null || this.state.value.phase === "failed") this.#loading = this.#create();
    return this.#loading;
  }

  /** Cancels the loading, or stops the model's worker. */
  dispose(): void {
    this.#disposed.abort();
    void this.model.peek()?.dispose();
    this.state.value = { phase: "absent" };
  }

  async #create(): Promise<BatchedModel> {
    this.state.value = { phase: "loading", progress: null };
    try {
      const model = await this.#open({
        ...this.#options,
        signal: this.#disposed.signal,
        onProgress: (progress) => this.#update({ phase: "loading", progress }),
      });
      model.addEventListener("statechange", ({ detail }) => {
        if (detail.state !== "failed") return;
        this.#update({ phase: "failed", error: detail.error });
        void model.dispose();
      });
      this.#update({ phase: "ready", model });
      return model;
    } catch (error) {
      this.#update({ phase: "failed", error });
      throw error;
    }
  }

  #update(state: LaneState): void {
    if (!this.#disposed.signal.aborted) this.state.value = state;
  }
}

/** Two instances of the same model, each in its own worker: one with batching, one without. */
export class ModelLanes {
  readonly batched: ModelLane;
  readonly single: ModelLane;

  constructor(model: SceneModel, chosen: LaneOptions) {
    this.batched = new ModelLane(model, chosen);
    this.single = new ModelLane(model, { ...chosen, batching: false });
  }

  lane(batching: boolean): ModelLane {
    return batching ? this.batched : this.single;
  }

  dispose(): void {
    this.batched.dispose();
    this.single.dispose();
  }
}
