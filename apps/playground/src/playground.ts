import { computed, effect, signal } from "@preact/signals";
import { FramebatchError, type BatchedModel } from "framebatch";
import { workEachFrame } from "./controls/frame-work.js";
import { ActivityLog } from "./instruments/activity-log.js";
import { LiveStatistics, type Activity } from "./instruments/live-statistics.js";
import { ModelLanes, type ModelLane } from "./model-lanes.js";
import { nextTask } from "./next-task.js";
import type { SceneName } from "./scenes/scene-names.js";
import type { Scene } from "./scenes/scene.js";
import type { Settings } from "./settings.js";
import type { ThemeChoice } from "./theme.js";

/** Opens a scene. Each module of a scene exports such a function. */
export type OpenScene = (playground: Playground) => Scene;

/** Loads the code of a scene. */
export type LoadScene = (name: SceneName) => Promise<OpenScene>;

/** The state that the scenes and the instruments share. */
export class Playground {
  readonly settings: Settings;
  readonly theme: ThemeChoice;
  /** Models start to load after this resolves. */
  readonly mayLoad: Promise<void>;
  /** The current scene; `null` until its code is loaded. */
  readonly scene = signal<Scene | null>(null);
  /** True while a comparison runs, which has exclusive use of the models, and while its race replays. */
  readonly comparing = signal(false);
  /** The error of a failed prediction, or of a scene that could not open, while the model itself has not failed. */
  readonly failure = signal<unknown>(null);
  /** Scenes send their requests through this log, so that the instruments can attribute them to callers. */
  readonly requests = new ActivityLog();
  /** The recent activity of the current model; `null` if unknown. */
  readonly activity = signal<Activity | null>(null);
  readonly #load: LoadScene;
  readonly #attempts = signal(0);
  /** What the activity belongs to. */
  #watched: { readonly model: BatchedModel | null; readonly callers: number } = { model: null, callers: 0 };
  /** Files for the next scene. */
  #dropped: readonly File[] = [];

  constructor(settings: Settings, theme: ThemeChoice, mayLoad: Promise<void>, load: LoadScene) {
    this.#load = load;
    this.settings = settings;
    this.theme = theme;
    this.mayLoad = mayLoad;
    effect(() => {
      void this.#attempts.value;
      return this.#open(settings.scene.value);
    });
    effect(() => {
      const lanes = this.lanes.value;
      return () => lanes?.dispose();
    });
    effect(() => {
      if (this.scene.value?.showsBothWays !== true) this.#start(this.lane.value);
    });
    effect(() => this.#watch());
    effect(() => {
      const workMs = settings.pressureMs.value;
      return workMs === 0 ? undefined : workEachFrame(workMs);
    });
  }

  /**
   * The scene's model with and without batching. Created again when the visitor changes a model option. `null` if no
   * model is chosen.
   */
  readonly lanes = computed(() => {
    const model = this.scene.value?.model.value ?? null;
    return model === null ? null : new ModelLanes(model, this.settings.modelOptions.value);
  });

  /** The lane that the visitor selected. */
  readonly lane = computed(() => this.lanes.value?.lane(this.settings.batching.value) ?? null);

  /** The model for predictions: that of the selected lane, or that of the other lane while the selected one loads. */
  readonly model = computed(() => {
    const other = this.lanes.value?.lane(!this.settings.batching.value);
    return this.lane.value?.model.value ?? other?.model.value ?? null;
  });

  /** True if the model cannot be used: it failed to load, or its predictions fail. */
  readonly hasFailed = computed(() => this.lane.value?.state.value.phase === "failed" || this.failure.value !== null);

  /** Why the scene has nothing to measure yet, in a sentence; `null` if it has. */
  readonly obstacle = computed(() => this.scene.value?.obstacle?.value ?? null);

  /** True if a measurement can start: there are items and a model that has not failed, and no other measurement runs. */
  readonly canMeasure = computed(
    () => this.lanes.value !== null && this.obstacle.value === null && !this.comparing.value && !this.hasFailed.value,
  );

  /** Retries what failed: the scene's code or the selected lane. */
  retry(): void {
    if (this.scene.peek() === null) this.#attempts.value++;
    else this.#start(this.lane.peek());
  }

  /** Gives dropped files to the scene, or to the scene for the visitor's own models. */
  takeFiles(files: readonly File[]): void {
    if (files.length === 0 || this.comparing.peek()) return;
    if (this.scene.peek()?.takeFiles?.(files) === true) return;
    this.#dropped = files;
    this.settings.goTo("model");
  }

  /**
   * Keeps the first failure until the visitor retries, since hundreds of tiles may fail in the same way. Ignores requests
   * to a model that the page has replaced.
   */
  reportFailure(error: unknown): void {
    if (!isDisposal(error)) this.failure.value ??= error;
  }

  /** Opens a scene. Returns a function that closes it. */
  #open(name: SceneName): () => void {
    this.failure.value = null;
    const closed = new AbortController();
    void this.#enter(name, closed.signal);
    return () => {
      closed.abort();
      this.scene.peek()?.dispose();
      this.scene.value = null;
    };
  }

  async #enter(name: SceneName, closed: AbortSignal): Promise<void> {
    try {
      const open = await this.#load(name);
      await nextTask();
      if (closed.aborted) return;
      this.scene.value = open(this);
      if (this.#dropped.length > 0) this.scene.value.takeFiles?.(this.#dropped);
      this.#dropped = [];
    } catch (error) {
      if (!closed.aborted) this.reportFailure(error);
    }
  }

  #start(lane: ModelLane | null): void {
    if (lane === null) return;
    this.failure.value = null;
    // The lane's state reports a failure, so it is ignored here.
    void this.mayLoad.then(() => lane.load()).catch(() => {});
  }

  /**
   * Restarts the statistics for each model and number of callers, since figures of different loads must not mix. While
   * a comparison runs, and until the first figures after it, those from before stay.
   */
  #watch(): (() => void) | undefined {
    const model = this.model.value;
    const callers = this.settings.callers.value;
    if (model !== this.#watched.model || callers !== this.#watched.callers) this.activity.value = null;
    this.#watched = { model, callers };
    if (model === null || this.comparing.value) return undefined;
    const stopLog = this.requests.watch(model);
    const statistics = new LiveStatistics(model, this.requests, (activity) => (this.activity.value = activity));
    return () => {
      statistics.stop();
      stopLog();
    };
  }
}

function isDisposal(error: unknown): boolean {
  return error instanceof FramebatchError && error.code === "DISPOSED";
}
