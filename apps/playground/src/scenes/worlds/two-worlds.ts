import { signal, type ReadonlySignal, type Signal } from "@preact/signals";
import type { LaneName } from "../../measure/gain.js";
import type { Playground } from "../../playground.js";
import type { ModelAtUrl } from "../scene-model.js";
import { learnLimit, UNKNOWN_LIMIT, type Limit, type Load } from "./limit.js";
import { Motion } from "./motion.js";
import type { WorldModel } from "./protocol.js";
import { Side } from "./side.js";

/** What a kind of world needs. Settings and the model are read again whenever they change. */
export interface WorldKind<Settings, Figures, Recent> {
  readonly startWorker: () => Worker;
  readonly model: ReadonlySignal<ModelAtUrl>;
  /** @param width of the canvas, in its own pixels */
  readonly settings: (width: number, isMoving: boolean) => Settings;
  /** What is shown of the reports of one load, of which there is at least one. */
  readonly recent: (history: readonly Figures[]) => Recent;
  /** What a side did with its callers, by a report. */
  readonly load: (figures: Figures, framePeriodMs: number) => Load;
}

/** Two worlds that differ in batching only. */
export class TwoWorlds<Settings, Figures, Recent> {
  readonly playground: Playground;
  readonly model: ReadonlySignal<ModelAtUrl>;
  readonly motion: Motion;
  readonly sides: Readonly<Record<LaneName, Side<Settings, Figures, Recent>>>;
  readonly limits: Readonly<Record<LaneName, Signal<Limit>>>;
  readonly #kind: WorldKind<Settings, Figures, Recent>;
  readonly #stopForgetting: () => void;

  constructor(playground: Playground, kind: WorldKind<Settings, Figures, Recent>) {
    this.playground = playground;
    this.model = kind.model;
    this.#kind = kind;
    this.motion = new Motion(playground);
    this.limits = { batched: signal(UNKNOWN_LIMIT), single: signal(UNKNOWN_LIMIT) };
    this.sides = { batched: this.#side("batched"), single: this.#side("single") };
    this.#stopForgetting = playground.settings.callers.subscribe(() => {
      for (const side of Object.values(this.sides)) side.forget();
    });
  }

  dispose(): void {
    this.motion.dispose();
    this.#stopForgetting();
    for (const side of Object.values(this.sides)) side.dispose();
  }

  #side(lane: LaneName): Side<Settings, Figures, Recent> {
    const { startWorker, settings, recent } = this.#kind;
    return new Side({
      startWorker,
      settings: (width) => settings(width, this.motion.isMoving.value),
      model: () => this.#modelOf(lane),
      recent,
      onFigures: (figures) => this.#learn(lane, figures),
      onModel: () => (this.limits[lane].value = UNKNOWN_LIMIT),
      onFailure: (error) => this.playground.reportFailure(error),
    });
  }

  /** `null` after a failure: when the visitor tries again, both sides load their models anew. */
  #modelOf(lane: LaneName): WorldModel | null {
    if (!this.motion.mayLoad.value || this.playground.failure.value !== null) return null;
    const { source, options: own } = this.#kind.model.value;
    const options = { ...own, ...this.playground.settings.modelOptions.value };
    return {
      url: new URL(source, location.href).href,
      options: lane === "batched" ? options : { ...options, batching: false },
    };
  }

  #learn(lane: LaneName, figures: Figures): void {
    const limit = this.limits[lane];
    limit.value = learnLimit(limit.peek(), this.#kind.load(figures, this.motion.framePeriodMs.peek()));
  }
}
