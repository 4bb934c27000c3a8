import { computed, effect, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import type { LaneName } from "../../measure/gain.js";
import { measureFramePeriod } from "../../measure/frame-recorder.js";
import type { Playground } from "../../playground.js";
import type { ModelAtUrl } from "../scene-model.js";
import { learnLimit, UNKNOWN_LIMIT, type Limit } from "./limit.js";
import { Side } from "./side.js";
import { whenIdle } from "./when-idle.js";
import type { DriverModel, WorldFigures, WorldSettings } from "./world/protocol.js";

/** Assumed until it is measured: a 60 Hz screen. */
const USUAL_PERIOD_MS = 1000 / 60;

/** The state of the scene: two worlds with the same cars, which differ in batching only. */
export class Cars {
  readonly playground: Playground;
  readonly model: ReadonlySignal<ModelAtUrl>;
  readonly sides: Readonly<Record<LaneName, Side>>;
  readonly limits: Readonly<Record<LaneName, Signal<Limit>>>;
  readonly framePeriodMs = signal(USUAL_PERIOD_MS);
  /** True while the worlds are on a screen. */
  readonly isInView = signal(false);
  readonly #isWanted = computed(() => this.isInView.value && this.playground.settings.moving.value);
  /** True from the first time that the worlds move on, and after the page has loaded. */
  readonly #mayLoad = signal(false);
  readonly isMoving = computed(() => this.#isWanted.value && this.#mayLoad.value && !this.playground.comparing.value);
  readonly #disposed = new AbortController();
  readonly #stopPreparing: () => void;

  constructor(playground: Playground, modelOf: (isTrained: boolean) => ModelAtUrl) {
    this.playground = playground;
    this.model = computed(() => modelOf(playground.settings.trained.value));
    this.limits = { batched: signal(UNKNOWN_LIMIT), single: signal(UNKNOWN_LIMIT) };
    this.sides = { batched: this.#side("batched"), single: this.#side("single") };
    this.#stopPreparing = effect(() => {
      if (this.#isWanted.value && !this.#mayLoad.value) void this.#prepare();
    });
  }

  dispose(): void {
    this.#disposed.abort();
    this.#stopPreparing();
    for (const side of Object.values(this.sides)) side.dispose();
  }

  async #prepare(): Promise<void> {
    await this.playground.mayLoad;
    await whenIdle();
    this.framePeriodMs.value = await measureFramePeriod();
    if (!this.#disposed.signal.aborted) this.#mayLoad.value = true;
  }

  #side(lane: LaneName): Side {
    return new Side({
      settings: (width) => this.#settings(width),
      drivers: () => this.#drivers(lane),
      onFigures: (figures) => this.#learn(lane, figures),
      onFailure: (error) => this.playground.reportFailure(error),
    });
  }

  #settings(width: number): WorldSettings {
    const { line, edge, accent, differs } = this.playground.theme.css.value;
    return {
      cars: this.playground.settings.cars.value,
      isMoving: this.isMoving.value,
      width,
      colours: { road: line, edge, car: accent, crashed: differs },
    };
  }

  #drivers(lane: LaneName): DriverModel | null {
    if (!this.#mayLoad.value) return null;
    const options = this.playground.settings.modelOptions.value;
    const { source } = this.model.value;
    return {
      url: new URL(source, location.href).href,
      options: lane === "batched" ? options : { ...options, batching: false },
    };
  }

  #learn(lane: LaneName, figures: WorldFigures): void {
    const limit = this.limits[lane];
    limit.value = learnLimit(limit.peek(), figures, this.framePeriodMs.peek());
  }
}
