import type { Distribution } from "@framebatch/batcher/stats/stats.js";

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
