import type { RunRequest } from "../../transport/protocol.js";
import type { WorkerClient } from "./worker-client.js";

/** A batch to run, possibly in several attempts. */
export interface Job {
  /** Creates the inputs. Called for each attempt, because sending the inputs detaches their buffers. */
  readonly makeFeeds: (client: WorkerClient) => RunRequest["feeds"] | Promise<RunRequest["feeds"]>;
  /**
   * Whether the job waits until the worker has answered every other batch. A job that lends buffers must wait: a worker
   * that dies takes them with it, and only a run can end a worker.
   */
  readonly isExclusive: boolean;
  /** Number of items. */
  readonly size: number;
  /** Whether the job is a step of the search for the item that makes a batch fail. */
  readonly isStep: boolean;
  /** Predicted duration, in milliseconds; `null` while no run time is known. */
  readonly predictedMs: number | null;
}

/**
 * Returns the number of workers that a job may end before it fails: 2, because something else may have ended the first
 * worker. A search step with several items may end only 1, because the search divides it anyway.
 */
export function maxCrashes({ size, isStep }: Job): number {
  return isStep && size > 1 ? 1 : 2;
}
