import { computed, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import type { LaneName } from "../../measure/gain.js";
import type { Playground } from "../../playground.js";
import type { ModelAtUrl } from "../scene-model.js";
import { learnLimit, UNKNOWN_LIMIT, type Limit } from "../worlds/limit.js";
import { Motion } from "../worlds/motion.js";
import type { WorldModel } from "../worlds/protocol.js";
import { Side } from "../worlds/side.js";
import { recentFigures, type RecentFigures } from "./recent-figures.js";
import type { WorldFigures, WorldSettings } from "./world/protocol.js";

export type CarSide = Side<WorldSettings, WorldFigures, RecentFigures>;

/** The state of the scene: two worlds with the same cars, which differ in batching only. */
export class Cars {
  readonly playground: Playground;
  readonly model: ReadonlySignal<ModelAtUrl>;
  readonly motion: Motion;
  readonly sides: Readonly<Record<LaneName, CarSide>>;
  readonly limits: Readonly<Record<LaneName, Signal<Limit>>>;

  constructor(playground: Playground, modelOf: (isTrained: boolean) => ModelAtUrl) {
    this.playground = playground;
    this.motion = new Motion(playground);
    this.model = computed(() => modelOf(playground.settings.trained.value));
    this.limits = { batched: signal(UNKNOWN_LIMIT), single: signal(UNKNOWN_LIMIT) };
    this.sides = { batched: this.#side("batched"), single: this.#side("single") };
  }

  dispose(): void {
    this.motion.dispose();
    for (const side of Object.values(this.sides)) side.dispose();
  }

  #side(lane: LaneName): CarSide {
    return new Side({
      startWorker: () => new Worker(new URL("./world/world-worker.ts", import.meta.url), { type: "module" }),
      settings: (width) => this.#settings(width),
      model: () => this.#drivers(lane),
      recent: recentFigures,
      onFigures: (figures) => this.#learn(lane, figures),
      onFailure: (error) => this.playground.reportFailure(error),
    });
  }

  #settings(width: number): WorldSettings {
    const { line, edge, accent, differs } = this.playground.theme.css.value;
    return {
      cars: this.playground.settings.cars.value,
      isMoving: this.motion.isMoving.value,
      width,
      colours: { road: line, edge, car: accent, crashed: differs },
    };
  }

  #drivers(lane: LaneName): WorldModel | null {
    if (!this.motion.mayLoad.value) return null;
    const options = this.playground.settings.modelOptions.value;
    const { source } = this.model.value;
    return {
      url: new URL(source, location.href).href,
      options: lane === "batched" ? options : { ...options, batching: false },
    };
  }

  /** A side that misses frames carries as many cars as have their answers in one frame. */
  #learn(lane: LaneName, { cars, frames, busyMs, elapsedMs }: WorldFigures): void {
    const limit = this.limits[lane];
    const framePeriodMs = this.motion.framePeriodMs.peek();
    limit.value = learnLimit(limit.peek(), {
      callers: cars,
      inTime: (frames * framePeriodMs) / elapsedMs,
      carries: (cars * framePeriodMs * frames) / busyMs,
    });
  }
}
