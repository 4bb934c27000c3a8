import type { CostModel } from "./cost-model.js";

/** Batches between two trials: at first, and once trials find nothing better. */
const FIRST_INTERVAL = 2;
const LAST_INTERVAL = 64;

/**
 * Now and then takes half or double the size that seems best, where no recent run has measured that, so that a better
 * size is found which no straight line predicts. Only while more than enough requests wait, so that nobody waits for
 * company on its account.
 *
 * In a closed loop it also asks for a run of all, ever more seldom, measured or not: where such runs were slow once (the first
 * ones, in code that was not compiled yet), none would come to show otherwise.
 */
export class SizeExplorer {
  #interval = FIRST_INTERVAL;
  #sinceTrial = 0;
  #sinceWhole = 0;
  #wholeInterval = LAST_INTERVAL;
  #lastBest = 0;

  /** Whether it is time for a run of all. */
  get isWholeDue(): boolean {
    return this.#sinceWhole >= this.#wholeInterval;
  }

  /** @param isWhole whether as many left as could have */
  left(isWhole: boolean): void {
    this.#sinceWhole += 1;
    if (!isWhole) return;
    this.#wholeInterval = this.#sinceWhole > this.#wholeInterval ? 2 * this.#wholeInterval : LAST_INTERVAL;
    this.#sinceWhole = 0;
  }

  /** The size to take where `best` seems best and `queued` wait. */
  choose(best: number, queued: number, volume: number, cost: CostModel): number {
    if (best !== this.#lastBest) this.#interval = FIRST_INTERVAL;
    this.#lastBest = best;
    this.#sinceTrial += 1;
    if (this.#sinceTrial < this.#interval) return best;
    const trial = cost.unmeasuredNeighbour(best, queued, volume);
    if (trial === null) return best;
    this.#sinceTrial = 0;
    this.#interval = Math.min(LAST_INTERVAL, this.#interval * 2);
    return trial;
  }
}
