import type { RunRequest } from "../../core/protocol/protocol.js";
import type { Supervisor } from "./supervisor.js";
import type { LivingReply, WorkerHandle } from "./worker-handle.js";

/** Makes what is run on a worker; anew for each attempt, since what was sent has left this thread. */
export type MakeFeeds = (handle: WorkerHandle) => RunRequest["feeds"] | Promise<RunRequest["feeds"]>;

/** A batch that is to be run, as often as it takes. */
export interface Job {
  readonly makeFeeds: MakeFeeds;
  /** Items in it. */
  readonly size: number;
  /** Whether it is a step of a search for the item that makes a batch fail. */
  readonly isStep: boolean;
  /** As in `Batch`. */
  readonly predictedMs: number | null;
}

type Runner = Pick<Supervisor, "run" | "isReady" | "hasFailed">;

/** One worker, and the batches that it has been given. */
export class WorkerSlot {
  readonly #supervisor: Runner;
  #running = 0;
  /** Wakes those who wait until nothing runs. */
  readonly #waiting: (() => void)[] = [];

  constructor(supervisor: Runner) {
    this.#supervisor = supervisor;
  }

  /** The less, the sooner it can run another batch. */
  get burden(): number {
    if (this.#supervisor.hasFailed) return Infinity;
    const batches = this.#running + this.#waiting.length;
    return this.#supervisor.isReady ? batches : batches + 1e6;
  }

  async run(job: Job): Promise<LivingReply> {
    this.#running += 1;
    try {
      return await this.#supervisor.run(job);
    } finally {
      this.#running -= 1;
      if (this.#running === 0) this.#waiting.shift()?.();
    }
  }

  /**
   * Runs once all else that the worker was given has been answered: what is lent to a worker would be lost with it, and it
   * is runs that end workers.
   */
  async runAlone(job: Job): Promise<LivingReply> {
    while (this.#running > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return this.run(job);
  }
}
