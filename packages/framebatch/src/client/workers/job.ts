import type { RunRequest } from "../../transport/protocol.js";
import type { WorkerClient } from "./worker-client.js";

/** A batch to run, however many attempts it takes. */
export interface Job {
  /** Makes the inputs. Called for each attempt, since what was sent has left this thread. */
  readonly makeFeeds: (client: WorkerClient) => RunRequest["feeds"] | Promise<RunRequest["feeds"]>;
  /**
   * Whether the worker must have answered every other batch first. A worker that dies loses what it was lent, and only a run can end
   * a worker.
   */
  readonly isExclusive: boolean;
  /** Number of items. */
  readonly size: number;
  /** Whether this is a step of a search for the item that makes a batch fail. */
  readonly isStep: boolean;
  /** Predicted duration in milliseconds; `null` while nothing is known about run times. */
  readonly predictedMs: number | null;
}

/**
 * The number of workers that a job may end. A step of a search is about to be divided anyway; a single item gets a second chance,
 * since another cause may have ended the first worker.
 */
export function maxDeaths({ size, isStep }: Job): number {
  return isStep && size > 1 ? 1 : 2;
}
