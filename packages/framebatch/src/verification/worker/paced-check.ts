import type { Finding } from "./batch-check.js";
import type { RunFeeds, Tensors } from "./check-runs.js";

/** Where a check runs its rows: items alone, and batches. */
export interface RunPaths {
  readonly alone: RunFeeds;
  readonly batch: RunFeeds;
}

/**
 * A check that stops between two runs when its time is over, and goes on from there, perhaps on other paths. Only the
 * whole check has a finding.
 */
export class PacedCheck {
  readonly #check: (paths: RunPaths) => Promise<Finding>;
  readonly #predictMs: (feeds: Tensors) => number;
  #finding: Promise<Finding> | null = null;
  #paths: RunPaths | null = null;
  #untilMs = 0;
  /** Ends the wait of the caller. */
  #stop: () => void = () => undefined;
  /** Begins the run that has no time left. */
  #resume: () => void = () => undefined;

  /** @param predictMs returns the predicted time of a run, in milliseconds */
  constructor(check: (paths: RunPaths) => Promise<Finding>, predictMs: (feeds: Tensors) => number) {
    this.#check = check;
    this.#predictMs = predictMs;
  }

  /** Makes the runs that fit into the time. Returns `null` if some are left. @throws the error of the check */
  within(budgetMs: number, paths: RunPaths): Promise<Finding | null> {
    this.#paths = paths;
    this.#untilMs = performance.now() + budgetMs;
    const stopped = new Promise<null>((resolve) => (this.#stop = () => resolve(null)));
    // A check begins its first run at once. If there is no time for it, that run waits for the next call, not for this
    // one.
    if (this.#finding === null) this.#finding = this.#begin();
    else this.#resume();
    return Promise.race([this.#finding, stopped]);
  }

  #begin(): Promise<Finding> {
    return this.#check({
      alone: (feeds) => this.#run("alone", feeds),
      batch: (feeds) => this.#run("batch", feeds),
    });
  }

  async #run(path: keyof RunPaths, feeds: Tensors): Promise<Tensors> {
    if (performance.now() + this.#predictMs(feeds) >= this.#untilMs) {
      const resumed = new Promise<void>((resolve) => (this.#resume = resolve));
      this.#stop();
      await resumed;
    }
    if (this.#paths === null) throw new TypeError("expected paths for a run, got none");
    return this.#paths[path](feeds);
  }
}
