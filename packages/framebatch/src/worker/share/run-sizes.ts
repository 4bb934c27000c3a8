import { CostModel } from "@framebatch/batcher/cost/cost-model.js";
import { BatchLimits } from "@framebatch/batcher/engine/batch-limits.js";
import { bestSize } from "@framebatch/batcher/decide/best-size.js";

/** A run, as the cost model knows it. */
export interface RunShape {
  readonly rows: number;
  /** Number of elements in the inputs of a row. */
  readonly volume: number;
}

/**
 * How many of the rows that wait should run as one. Decides as the planner of a page does, by the time until all have
 * their answers, but with the run times in this worker: messages take a page as long whether its run is merged or not.
 */
export class RunSizes {
  readonly #cost: CostModel;
  readonly #limits: BatchLimits;

  /** @param maxBatchSize maximum number of rows in a run */
  constructor(maxBatchSize: number) {
    this.#cost = new CostModel(maxBatchSize);
    this.#limits = new BatchLimits({ maxBatchSize }, this.#cost);
  }

  /** Records how long a run kept the worker busy, in milliseconds, merging and splitting included. */
  observe({ rows, volume }: RunShape, ms: number): void {
    this.#cost.observe(rows, volume, ms);
  }

  /** Records that there was no memory for a run. */
  foundNoMemory({ rows, volume }: RunShape): void {
    this.#limits.foundNoMemory(rows, volume);
  }

  /**
   * Returns the maximum number of rows in the next run; 0 while no run time is known.
   * @param queued number of rows of this volume that can run together
   * @param waiting number of all rows that wait, including those that cannot run with these
   */
  size(queued: number, waiting: number, volume: number): number {
    if (!this.#cost.isKnown) return 0;
    const limit = Math.min(queued, this.#limits.fitting(volume));
    return bestSize(this.#cost, { queued, limit, volume, hiddenMs: 0 }, { isAlone: false, waiting, ratePerMs: 0 });
  }
}
