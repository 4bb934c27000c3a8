import type { Batcher } from "../../core/batcher/batcher.js";
import { FramebatchError } from "../../core/errors.js";
import type { BatchCheck, TimedRun } from "../../transport/protocol.js";
import type { ModelSession } from "../workers/model-session.js";
import type { WorkerPool } from "../workers/worker-pool.js";
import { callMs } from "./learned-costs.js";

type Learner = Pick<Batcher<unknown, unknown>, "learn" | "limitBatchSize" | "trust">;

/** Acts on what the workers of a model find out about its batches, now or later. */
export class WorkerFindings {
  readonly #say: (error: FramebatchError) => void;
  #learner: Learner | null = null;
  #check: BatchCheck | null = null;
  /** Rows that every run of the model has; `null` where one will do. */
  #fixedRows: number | null = null;
  #isSaid = false;

  constructor(say: (error: FramebatchError) => void) {
    this.#say = say;
  }

  /** Tells `learner` what is found out from now on. */
  tell(learner: Learner): void {
    this.#learner = learner;
  }

  /** Whether batches are trusted: as long as this is not known of every worker's provider, the model runs item by item. */
  get isTrusted(): boolean {
    return this.#check !== null && isTrusted(this.#check);
  }

  /** Why a run is not to be made on what the workers are now; `null` where nothing speaks against it. */
  refusal(isAlone: boolean): FramebatchError | null {
    if (this.isTrusted || this.#check === null) return null;
    const { outcome, reason } = this.#check;
    if (isAlone && (this.#fixedRows === null || outcome !== "failed")) return null;
    return new FramebatchError(
      "BATCH_UNSAFE",
      `expected rows to be independent, got ${reason}; export the model with a dynamic batch`,
    );
  }

  /** Looks at what the sessions of a pool have found out so far. */
  look({ slots, isSettled }: Pick<WorkerPool, "slots" | "isSettled">): void {
    const sessions = slots.map(({ session }) => session);
    const check = jointCheck(sessions);
    const { fixedBatch = null } = sessions[0]?.model.signature ?? {};
    this.#check = check;
    this.#fixedRows = fixedBatch === 1 ? null : fixedBatch;
    for (const { model } of sessions) if (model.maxRows !== null) this.#learner?.limitBatchSize(model.maxRows);
    this.#learner?.trust(isTrusted(check));
    if (check.outcome === "failed" && isSettled) this.#sayOnce(check);
  }

  onTimed(run: TimedRun): void {
    this.#learner?.learn(run.size, run.volume, callMs(run));
  }

  #sayOnce({ reason }: BatchCheck): void {
    if (!this.#isSaid) this.#say(new FramebatchError("BATCH_UNSAFE", `the model runs item by item: ${reason}`));
    this.#isSaid = true;
  }
}

function isTrusted({ outcome }: BatchCheck): boolean {
  return outcome === "passed" || outcome === "skipped";
}

/**
 * What is known of batches that any of the sessions may be given: one that fails speaks for all, and one that passes for those on
 * its provider.
 */
export function jointCheck(sessions: readonly ModelSession[]): BatchCheck {
  const verdicts = sessions.map(({ model, batchCheck }) => ({ provider: model.provider, check: batchCheck() }));
  const joint = verdicts.map(({ provider, check }) => {
    const trusted = verdicts.find((other) => other.provider === provider && isTrusted(other.check));
    return check.outcome === "inconclusive" ? (trusted?.check ?? check) : check;
  });
  const first =
    joint.find(({ outcome }) => outcome === "failed") ?? joint.find((check) => !isTrusted(check)) ?? joint[0];
  if (first === undefined) throw new RangeError("expected a session, got none");
  return first;
}
