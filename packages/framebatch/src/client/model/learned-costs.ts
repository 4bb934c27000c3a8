import type { ModelEventTarget } from "./model-events.js";
import type { FrameClock } from "@framebatch/host/clock.js";
import { CostModel, type CostModelData } from "@framebatch/batcher/cost/cost-model.js";
import type { TimedRun } from "../../transport/protocol.js";

/** Number of batches after which the costs are saved first. They are saved again each time that number doubles. */
const FIRST_BATCHES = 64;

/**
 * Saves what a batcher has learned about run times for later sessions: after more and more batches, and when the tab is
 * hidden. It sets no timers.
 */
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

  /** Counts a batch that has run, and saves the costs when it is time to. */
  onBatch(): void {
    this.#batches += 1;
    if (this.#batches < this.#next) return;
    this.#next *= 2;
    this.keep();
  }

  /** Saves the costs if a batch has run since the last time. */
  keep(): void {
    if (this.#keptBatches === this.#batches) return;
    this.#keptBatches = this.#batches;
    this.#keep(this.#read());
  }

  /** Saves the costs each time the tab is hidden, until the model is disposed. */
  saveWhenHidden(frames: FrameClock, events: ModelEventTarget): void {
    const stop = frames.onVisibilityChange(() => {
      if (frames.isHidden()) this.keep();
    });
    events.add("statechange", ({ detail }) => {
      if (detail.state === "disposed") stop();
    });
  }
}

/** Time that a call to the worker adds to the run, round trip, in milliseconds. Measured with Comlink in Chromium. */
const CALL_MS = 0.1;

/**
 * Returns what is known about run times before the first batch: what an earlier session learned, updated with the runs
 * of the warm-up.
 * @param learned costs of an earlier session; `null` if there are none
 */
export function costDataFrom(timings: readonly TimedRun[], learned: CostModelData | null = null): CostModelData {
  const cost = new CostModel(Math.max(1, ...timings.map(({ size }) => size)));
  if (learned !== null) cost.restore(learned);
  for (const run of timings) cost.observe(run.size, run.volume, callMs(run));
  return cost.toData();
}

/** Returns the same costs with all volumes multiplied by `factor`, see `ItemVolumes`. */
export function withVolumes(costs: CostModelData, factor: number): CostModelData {
  const shapes = costs.shapes.map((shape) => ({
    ...shape,
    volume: factor * shape.volume,
    meanVolume: factor * shape.meanVolume,
  }));
  return { ...costs, shapes };
}

/** Returns the time of a run as the page sees it, in milliseconds: its time in the worker and the call. */
export function callMs({ ms }: TimedRun): number {
  return ms + CALL_MS;
}
