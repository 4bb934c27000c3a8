import type { FrameClock } from "../core/clock.js";
import type { CostModelData } from "../core/cost-model.js";
import type { ModelEventTarget } from "./model-events.js";

/** What is learned is first kept after so many batches, and then each time that there are twice as many. */
const FIRST_BATCHES = 64;

/** Keeps what a batcher has learned of run times for later sessions: now and then, and when the tab is left. No timers. */
export class LearnedCosts {
  readonly #read: () => CostModelData;
  readonly #keep: (costs: CostModelData) => void;
  #batches = 0;
  #keptBatches = 0;
  #next = FIRST_BATCHES;

  constructor(read: () => CostModelData, keep: (costs: CostModelData) => void) {
    this.#read = read;
    this.#keep = keep;
  }

  onBatch(): void {
    this.#batches += 1;
    if (this.#batches < this.#next) return;
    this.#next *= 2;
    this.keep();
  }

  keep(): void {
    if (this.#keptBatches === this.#batches) return;
    this.#keptBatches = this.#batches;
    this.#keep(this.#read());
  }

  /** Until the model is disposed of. */
  keepWhenHidden(frames: FrameClock, events: ModelEventTarget): void {
    const stop = frames.onVisibilityChange(() => {
      if (frames.isHidden()) this.keep();
    });
    events.add("statechange", ({ detail }) => {
      if (detail.state === "disposed") stop();
    });
  }
}
