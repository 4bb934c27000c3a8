import type { OpenRun } from "./open-run.js";
import type { StepEnding } from "./step-statistics.js";

/** The time that an item is in a split or a collect. */
export class StepStay {
  readonly #run: OpenRun;
  readonly #sinceMs: number;
  readonly index: number;

  /** @param index the place of the step among those of the pipeline */
  constructor(run: OpenRun, index: number) {
    this.#run = run;
    this.#sinceMs = run.nowMs;
    this.index = index;
    run.step(index).statistics.arrived();
  }

  leave(ending: StepEnding): void {
    this.#run.passed(this.index, this.#sinceMs);
    this.#run.step(this.index).statistics.left(ending, this.#run.nowMs - this.#sinceMs);
  }
}
