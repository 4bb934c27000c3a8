import type { PendingRun } from "./pending-runs.js";
import type { RunResult } from "./run-result.js";
import type { WorkerClient } from "./worker-client.js";

/** A batch to run, possibly in several attempts. */
export interface Job {
  /** Makes an attempt. @throws what ended the worker, or why the batch must not run on it */
  readonly runOn: (client: WorkerClient, run: PendingRun) => Promise<RunResult>;
  /** Whether it can run once more after it was answered: the page keeps all of its rows. */
  readonly mayRepeat: boolean;
  /** Number of items. */
  readonly size: number;
  /** Whether the job is a step of the search for the item that makes a batch fail. */
  readonly isStep: boolean;
  /** Predicted duration, in milliseconds; `null` while no run time is known. */
  readonly predictedMs: number | null;
}

/** Returns whether a job is a search step with several items: if it fails, the search runs parts of it. */
export function isDivided({ size, isStep }: Pick<Job, "size" | "isStep">): boolean {
  return isStep && size > 1;
}

/**
 * Returns the number of workers that a job may end before it fails: 2, because something else may have ended the first
 * worker. A search step with several items may end only 1.
 */
export function maxCrashes(job: Pick<Job, "size" | "isStep">): number {
  return isDivided(job) ? 1 : 2;
}
