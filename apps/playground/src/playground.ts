import { computed, effect, signal, untracked } from "@preact/signals";
import { ModelLanes, type ModelLane } from "./model-lanes.js";
import type { Settings } from "./settings.js";
import type { ThemeChoice } from "./theme.js";

/** What the scenes and the instruments of the page share. */
export class Playground {
  readonly settings: Settings;
  readonly theme: ThemeChoice;
  /** A comparison has the models to itself: nothing else predicts meanwhile. */
  readonly comparing = signal(false);
  /** Why a prediction failed, where the model itself still stands. */
  readonly failure = signal<unknown>(null);
  readonly #source: string;

  constructor(settings: Settings, theme: ThemeChoice, builtInModel: string) {
    this.settings = settings;
    this.theme = theme;
    this.#source = settings.model ?? builtInModel;
    effect(() => {
      const lanes = this.lanes.value;
      return () => lanes.dispose();
    });
    effect(() => this.#start(this.lane.value));
  }

  /** Both ways to run the model, made anew for each backend. */
  readonly lanes = computed(() => new ModelLanes(this.#source, this.settings.backend.value));

  /** The lane that the visitor wants. */
  readonly lane = computed(() => this.lanes.value.lane(this.settings.batching.value));

  /** The model to predict with: the wanted lane's, or the other one's while that loads. */
  readonly model = computed(() => {
    const other = this.lanes.value.lane(!this.settings.batching.value);
    return this.lane.value.model.value ?? other.model.value;
  });

  /** Starts the wanted lane anew after a failure. */
  retry(): void {
    this.#start(this.lane.peek());
  }

  /** The first failure stands until the visitor tries again: hundreds of tiles fail alike. */
  reportFailure(error: unknown): void {
    this.failure.value ??= error;
  }

  #start(lane: ModelLane): void {
    this.failure.value = null;
    // A failure needs no handling here: the lane's state tells of it.
    untracked(() => lane.load()).catch(() => {});
  }
}
