import { editsOf } from "./edits.js";
import type { Scenario } from "./scenario.js";

/** Whether a scenario still breaks the same rule. */
export type Fails = (scenario: Scenario) => Promise<boolean>;

/** Maximum number of scenarios to run. */
const MAX_TRIALS = 4000;

/** What is left out changes all later draws, so each smaller scenario is run with a few seeds. */
const SEEDS = 6;

/** Returns a scenario that still fails, with as few steps, faults and options as can be found by removing some at a time. */
export async function shrink(scenario: Scenario, fails: Fails): Promise<Scenario> {
  const shrinking = new Shrinking(scenario, fails);
  let before: Scenario;
  do {
    before = shrinking.best;
    await shrinking.dropFrom("steps");
    await shrinking.dropFrom("faults");
    await shrinking.edit();
  } while (shrinking.best !== before);
  return shrinking.best;
}

class Shrinking {
  best: Scenario;
  readonly #fails: Fails;
  #trials = 0;

  constructor(scenario: Scenario, fails: Fails) {
    this.best = scenario;
    this.#fails = fails;
  }

  /** Removes halves, quarters and so on, down to single members. */
  async dropFrom(list: "steps" | "faults"): Promise<void> {
    for (let size = Math.ceil(this.best[list].length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
      for (let from = 0; from < this.best[list].length;) {
        const members = this.best[list];
        const isSmaller = await this.#try({
          ...this.best,
          [list]: [...members.slice(0, from), ...members.slice(from + size)],
        });
        if (!isSmaller) from += size;
      }
    }
  }

  /** Makes everything else smaller, one change at a time. */
  async edit(): Promise<void> {
    for (const edit of editsOf(this.best)) {
      const smaller = edit(this.best);
      if (smaller !== null) await this.#try(smaller);
    }
  }

  /** Keeps a scenario if it fails with one of a few seeds. */
  async #try(smaller: Scenario): Promise<boolean> {
    for (let seed = smaller.seed; seed < smaller.seed + SEEDS && this.#trials < MAX_TRIALS; seed++) {
      this.#trials += 1;
      if (!(await this.#fails({ ...smaller, seed }))) continue;
      this.best = { ...smaller, seed };
      return true;
    }
    return false;
  }
}
