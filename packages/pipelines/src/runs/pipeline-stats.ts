import type { Distribution } from "@framebatch/batcher/stats/stats.js";
import { LogHistogram } from "@framebatch/batcher/stats/statistics.js";

/**
 * The kinds of steps:
 * - `stage`: a model or a function takes one part and returns one.
 * - `split`: a function turns one item into parts.
 * - `collect`: a function turns the parts of an item into one result.
 */
export type StepKind = "stage" | "split" | "collect";

/** A step of a pipeline as the caller defined it. */
export interface StepInfo {
  readonly kind: StepKind;
  readonly name: string;
  /** Returns the batch size with the best rate, if the stage knows it. @default 1 */
  readonly targetSize?: () => number;
}

/** How a run of a pipeline can end. */
export type RunEnding = "completed" | "failed" | "aborted" | "timedOut" | "superseded" | "disposed";

/**
 * Statistics of one step of a pipeline. At any time, `accepted = completed + failed + aborted + inFlight`. For a stage
 * they count parts, for a split the items to be split, and for a collect the items whose parts are all there.
 */
export interface StepStats {
  /** Whether the step is a stage, a split or a collect. */
  readonly kind: StepKind;
  /** The step's name. */
  readonly name: string;
  /** Parts that reached the step. */
  readonly accepted: number;
  /** Parts that the step returned a result for. */
  readonly completed: number;
  /** Parts that the step failed for. */
  readonly failed: number;
  /**
   * Parts that were dropped in the step, because their run ended: an error elsewhere, an abort, a timeout, a dispose.
   */
  readonly aborted: number;
  /** Parts that are in the step now. */
  readonly inFlight: number;
  /**
   * Time from when a part reached a stage until the stage accepted it, in milliseconds: how long a stream held it back.
   * The time in a model's own queue is in the model's statistics. Empty for a split and a collect.
   */
  readonly queueMs: Distribution;
  /** Time from when a part reached the step to its result, in milliseconds. */
  readonly totalMs: Distribution;
  /** Maximum number of parts of streams that the stage has in work now, or 0 for a split and a collect. */
  readonly slots: number;
  /** Parts per item of a split; `null` for other steps. */
  readonly parts: Distribution | null;
}

/** Statistics of a pipeline since its creation or its last `resetStats()`, as a plain object. */
export interface PipelineStats {
  /**
   * Runs by outcome: one for each call of `run` and each item of a stream. At any time, `accepted` is the sum of the
   * others.
   */
  readonly runs: Readonly<Record<RunEnding | "accepted" | "inFlight", number>>;
  /** Time from the call to the result of a completed run, in milliseconds. */
  readonly totalMs: Distribution;
  /** The steps, in the order in which they were defined; `details.stage` of an error is an index of this list. */
  readonly stages: readonly StepStats[];
}

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
