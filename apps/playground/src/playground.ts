import { computed, effect, signal } from "@preact/signals";
import { workEachFrame } from "./controls/frame-work.js";
import { ActivityLog } from "./instruments/activity-log.js";
import { LiveStatistics, type Activity } from "./instruments/live-statistics.js";
import { ModelLanes, type ModelLane } from "./model-lanes.js";
import { SCENES, type SceneName } from "./scenes/scene-list.js";
import type { Scene } from "./scenes/scene.js";
import type { Settings } from "./settings.js";
import type { ThemeChoice } from "./theme.js";

/** What the scenes and the instruments of the page share. */
export class Playground {
  readonly settings: Settings;
  readonly theme: ThemeChoice;
  /** The scene in view, once its code is here. */
  readonly scene = signal<Scene | null>(null);
  /** A comparison has the models to itself: nothing else predicts meanwhile. */
  readonly comparing = signal(false);
  /** Why a prediction failed, or a scene could not be opened, where the model itself still stands. */
  readonly failure = signal<unknown>(null);
  /** Scenes ask through it, so that the instruments can tell who waited for what. */
  readonly requests = new ActivityLog();
  /** What the model in use has just done; `null` while nothing is known. */
  readonly activity = signal<Activity | null>(null);
  readonly #attempts = signal(0);
  readonly #mayLoad: Promise<void>;

  /** No model is loaded before `mayLoad` has resolved. */
  constructor(settings: Settings, theme: ThemeChoice, mayLoad: Promise<void>) {
    this.settings = settings;
    this.theme = theme;
    this.#mayLoad = mayLoad;
    effect(() => {
      void this.#attempts.value;
      return this.#open(settings.scene.value);
    });
    effect(() => {
      const lanes = this.lanes.value;
      return () => lanes?.dispose();
    });
    effect(() => this.#start(this.lane.value));
    effect(() => this.#watch());
    effect(() => {
      const workMs = settings.pressureMs.value;
      return workMs === 0 ? undefined : workEachFrame(workMs);
    });
  }

  /** Both ways to run the scene's model, made anew whenever the visitor changes how. `null`: no model is chosen. */
  readonly lanes = computed(() => {
    const model = this.scene.value?.model.value ?? null;
    return model === null ? null : new ModelLanes(model, this.settings.modelOptions.value);
  });

  /** The lane that the visitor wants. */
  readonly lane = computed(() => this.lanes.value?.lane(this.settings.batching.value) ?? null);

  /** The model to predict with: the wanted lane's, or the other one's while that loads. */
  readonly model = computed(() => {
    const other = this.lanes.value?.lane(!this.settings.batching.value);
    return this.lane.value?.model.value ?? other?.model.value ?? null;
  });

  /** Starts over what failed: the scene's code, or the wanted lane. */
  retry(): void {
    if (this.scene.peek() === null) this.#attempts.value++;
    else this.#start(this.lane.peek());
  }

  /** The first failure stands until the visitor tries again: hundreds of tiles fail alike. */
  reportFailure(error: unknown): void {
    this.failure.value ??= error;
  }

  /** Returns how to close the scene again. */
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
      const open = await SCENES[name].load();
      if (!closed.aborted) this.scene.value = open(this);
    } catch (error) {
      if (!closed.aborted) this.reportFailure(error);
    }
  }

  #start(lane: ModelLane | null): void {
    if (lane === null) return;
    this.failure.value = null;
    // A failure needs no handling here: the lane's state tells of it.
    void this.#mayLoad.then(() => lane.load()).catch(() => {});
  }

  /** Afresh for each model and number of callers: figures of different loads must not mix. */
  #watch(): (() => void) | undefined {
    const model = this.model.value;
    void this.settings.tiles.value;
    this.activity.value = null;
    if (model === null || this.comparing.value) return undefined;
    const stopLog = this.requests.watch(model);
    const statistics = new LiveStatistics(model, this.requests, (activity) => (this.activity.value = activity));
    return () => {
      statistics.stop();
      stopLog();
    };
  }
}
