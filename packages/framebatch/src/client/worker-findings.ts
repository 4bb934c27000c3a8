import type { Batcher } from "../core/batcher.js";
import { FramebatchError } from "../core/errors.js";
import type { BatchCheck, TimedRun } from "../core/protocol.js";
import type { ModelSession } from "./model-session.js";
import { callMs } from "./warm-up-costs.js";

type Learner = Pick<Batcher<unknown, unknown>, "learn" | "limitBatchSize">;

/** Acts on what the workers of a model find out about its batches, now or later. */
export class WorkerFindings {
  readonly #say: (error: FramebatchError) => void;
  #learner: Learner | null = null;
  #isSaid = false;

  constructor(say: (error: FramebatchError) => void) {
    this.#say = say;
  }

  /** Tells `learner` what is found out from now on, and what `sessions` have found out so far. */
  tell(learner: Learner, sessions: readonly ModelSession[]): void {
    this.#learner = learner;
    for (const { model, batchCheck } of sessions) {
      if (model.mostRows !== null) learner.limitBatchSize(model.mostRows);
      this.onChecked(batchCheck());
    }
  }

  onTimed(run: TimedRun): void {
    this.#learner?.learn(run.size, run.volume, callMs(run));
  }

  /** A model of which one worker finds batches wrong runs item by item on all. It is said once. */
  onChecked({ outcome, reason }: BatchCheck): void {
    if (outcome !== "failed" || this.#learner === null) return;
    this.#learner.limitBatchSize(1);
    if (!this.#isSaid) this.#say(new FramebatchError("BATCH_UNSAFE", `the model runs item by item: ${reason}`));
    this.#isSaid = true;
  }
}
