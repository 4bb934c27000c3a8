import { computed, effect, signal, type ReadonlySignal } from "@preact/signals";
import type { BatchedModel, ExecutionProvider, GeneratingModel } from "framebatch";
import type { LaneName } from "../../measure/gain.js";
import type { Playground } from "../../playground.js";
import { Motion } from "../worlds/motion.js";
import { LANES } from "../worlds/side-panel.js";
import { SENTENCES } from "./sentences.js";
import { TranslatedPage } from "./translated-page.js";

/** How often the figures change, in milliseconds. */
const TALLY_MS = 250;

/** A page and its model. */
export interface PageSide extends Pick<TranslatedPage, "figures"> {
  readonly page: TranslatedPage;
  readonly provider: ReadonlySignal<ExecutionProvider | null>;
}

/** The same page twice. The models of the two sides differ in batching only. */
export class TwoPages {
  readonly playground: Playground;
  readonly motion: Motion;
  readonly sides: Readonly<Record<LaneName, PageSide>>;
  /** How far both pages are scrolled, in pixels. */
  readonly scrolledTo = signal(0);
  readonly #stops: readonly (() => void)[];

  constructor(playground: Playground) {
    this.playground = playground;
    this.motion = new Motion(playground);
    this.sides = { batched: this.#side("batched"), single: this.#side("single") };
    this.#stops = [
      effect(() => this.#load()),
      ...LANES.flatMap((lane) => this.#follow(lane)),
      effect(() => (this.motion.isMoving.value ? this.#keepTallying() : undefined)),
    ];
  }

  restart(): void {
    for (const lane of LANES) this.sides[lane].page.restart();
  }

  dispose(): void {
    for (const stop of this.#stops) stop();
    for (const lane of LANES) this.sides[lane].page.use(null);
    this.motion.dispose();
  }

  #side(lane: LaneName): PageSide {
    const page = new TranslatedPage(SENTENCES, (error) => this.playground.reportFailure(error));
    const provider = computed(() => this.#modelOf(lane)?.executionProvider ?? null);
    return { page, figures: page.figures, provider };
  }

  /** Loads both models. After a failure, it waits until the visitor tries again. */
  #load(): void {
    const { playground, motion } = this;
    const lanes = playground.lanes.value;
    if (lanes === null || !motion.mayLoad.value || playground.failure.value !== null) return;
    for (const lane of LANES) {
      void playground.mayLoad
        .then(() => lanes[lane].load())
        .catch((error: unknown) => {
          if (playground.lanes.peek() === lanes) playground.reportFailure(error);
        });
    }
  }

  #follow(lane: LaneName): readonly (() => void)[] {
    const { page } = this.sides[lane];
    return [effect(() => page.use(this.#modelOf(lane))), effect(() => page.move(this.motion.isMoving.value))];
  }

  #modelOf(lane: LaneName): GeneratingModel | null {
    const model = this.playground.lanes.value?.[lane].model.value ?? null;
    return model !== null && isGenerating(model) ? model : null;
  }

  #keepTallying(): () => void {
    const timer = setInterval(() => LANES.forEach((lane) => this.sides[lane].page.tally()), TALLY_MS);
    return () => clearInterval(timer);
  }
}

function isGenerating(model: BatchedModel): model is GeneratingModel {
  return "generate" in model;
}
