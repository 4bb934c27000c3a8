import { FRAME, RATE } from "@framebatch/models/voices";
import { computed, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import type { LaneName } from "../../measure/gain.js";
import type { Playground } from "../../playground.js";
import type { ModelAtUrl } from "../scene-model.js";
import { learnLimit, UNKNOWN_LIMIT, type Limit } from "../worlds/limit.js";
import { Motion } from "../worlds/motion.js";
import type { WorldModel } from "../worlds/protocol.js";
import { Side } from "../worlds/side.js";
import { Microphone } from "./microphone.js";
import { dueOf, recentFigures, type RecentFigures } from "./recent-figures.js";
import type { StreamFigures, StreamSettings } from "./world/protocol.js";

export type StreamSide = Side<StreamSettings, StreamFigures, RecentFigures>;

/** The state of the scene: two worlds that hear the same streams, which differ in batching only. */
export class Streams {
  readonly playground: Playground;
  readonly model: ReadonlySignal<ModelAtUrl>;
  readonly motion: Motion;
  readonly microphone = new Microphone();
  readonly sides: Readonly<Record<LaneName, StreamSide>>;
  readonly limits: Readonly<Record<LaneName, Signal<Limit>>>;

  constructor(playground: Playground, model: ModelAtUrl) {
    this.playground = playground;
    this.motion = new Motion(playground);
    this.model = computed(() => model);
    this.limits = { batched: signal(UNKNOWN_LIMIT), single: signal(UNKNOWN_LIMIT) };
    this.sides = { batched: this.#side("batched"), single: this.#side("single") };
  }

  /** Lets both sides hear the microphone, or no longer. */
  async useMicrophone(isOn: boolean): Promise<void> {
    const sides = Object.values(this.sides);
    if (!isOn) this.microphone.close();
    const ports = isOn ? await this.microphone.open(sides.length) : [];
    for (const [index, side] of sides.entries()) side.useSource(ports[index] ?? null);
  }

  dispose(): void {
    this.microphone.close();
    this.motion.dispose();
    for (const side of Object.values(this.sides)) side.dispose();
  }

  #side(lane: LaneName): StreamSide {
    return new Side({
      startWorker: () => new Worker(new URL("./world/world-worker.ts", import.meta.url), { type: "module" }),
      settings: (width) => this.#settings(width),
      model: () => this.#detector(lane),
      recent: recentFigures,
      onFigures: (figures) => this.#learn(lane, figures),
      onFailure: (error) => this.playground.reportFailure(error),
    });
  }

  #settings(width: number): StreamSettings {
    const { line, edge, accent, differs } = this.playground.theme.css.value;
    return {
      streams: this.playground.settings.streams.value,
      isMoving: this.motion.isMoving.value,
      width,
      colours: { voice: accent, quiet: edge, waiting: line, missed: differs },
    };
  }

  #detector(lane: LaneName): WorldModel | null {
    if (!this.motion.mayLoad.value) return null;
    const options = { ...this.model.value.options, ...this.playground.settings.modelOptions.value };
    return {
      url: new URL(this.model.value.source, location.href).href,
      options: lane === "batched" ? options : { ...options, batching: false },
    };
  }

  /** A side that leaves steps out carries as many streams as it has answers for. */
  #learn(lane: LaneName, figures: StreamFigures): void {
    const { streams, heard, elapsedMs } = figures;
    const limit = this.limits[lane];
    limit.value = learnLimit(limit.peek(), {
      callers: streams,
      inTime: heard / dueOf(figures),
      carries: heard / (elapsedMs / 1000) / (RATE / FRAME),
    });
  }
}
