import { LogHistogram } from "@framebatch/batcher/stats/log-histogram.js";
import type { StepStats, StepInfo } from "./pipeline-stats.js";

/** How a part can leave a step. `aborted`: its run ended for another reason. */
export type StepEnding = "completed" | "failed" | "aborted";

/** Counts the parts of one step. Every recording method takes O(1) time. */
export class StepStatistics {
  readonly #endings: Record<StepEnding, number> = { completed: 0, failed: 0, aborted: 0 };
  readonly #queueMs = new LogHistogram();
  readonly #totalMs = new LogHistogram();
  readonly #parts = new LogHistogram();
  #accepted: number;
  inFlight: number;

  /** @param open number of parts that are in the step already */
  constructor(open = 0) {
    this.#accepted = open;
    this.inFlight = open;
  }

  /** Records that a part reached the step. */
  arrived(): void {
    this.#accepted += 1;
    this.inFlight += 1;
  }

  /** Records that the stage accepted a part, `queueMs` after it reached the step. */
  taken(queueMs: number): void {
    this.#queueMs.record(queueMs);
  }

  /** Records that a part left the step, `totalMs` after it reached it. */
  left(ending: StepEnding, totalMs: number): void {
    this.#endings[ending] += 1;
    this.inFlight -= 1;
    if (ending === "completed") this.#totalMs.record(totalMs);
  }

  /** Records the number of parts of an item. */
  divided(parts: number): void {
    this.#parts.record(parts);
  }

  /** @param slots number of slots of the step; 0 if it is no stage */
  snapshot({ kind, name }: StepInfo, slots: number): StepStats {
    return {
      kind,
      name,
      accepted: this.#accepted,
      ...this.#endings,
      inFlight: this.inFlight,
      slots,
      queueMs: this.#queueMs.snapshot(),
      totalMs: this.#totalMs.snapshot(),
      parts: kind === "split" ? this.#parts.snapshot() : null,
    };
  }
}
