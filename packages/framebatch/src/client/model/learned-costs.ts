import type { ModelEventTarget } from "./model-events.js";
import type { FrameClock } from "../../core/clock.js";
import { CostModel, type CostModelData } from "../../core/cost/cost-model.js";
import type { TimedRun } from "../../core/protocol/protocol.js";

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

/** What a call to the worker adds to the run itself, there and back, in milliseconds; measured with Comlink in Chromium. */
const CALL_MS = 0.1;

/**
 * What a batcher can know of run times before its first batch: what an earlier session learned, brought up to date by what
 * the worker measured as it warmed up.
 */
export function costDataFrom(timings: readonly TimedRun[], learned: CostModelData | null = null): CostModelData {
  const cost = new CostModel(Math.max(1, ...timings.map(({ size }) => size)));
  if (learned !== null) cost.restore(learned);
  for (const run of timings) cost.observe(run.size, run.volume, callMs(run));
  return cost.toData();
}

/** What a run that was timed in the worker takes as seen from the page, in milliseconds. */
export function callMs({ ms }: TimedRun): number {
  return ms + CALL_MS;
}
