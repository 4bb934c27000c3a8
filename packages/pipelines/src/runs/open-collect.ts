import type { Priority } from "@framebatch/batcher/queue/priority.js";
import type { Ticket } from "@framebatch/batcher/queue/request.js";
import { settleCall } from "@framebatch/batcher/calls/user-call.js";
import type { OpenRun } from "./open-run.js";
import { NO_HOLD, type Next, type Path } from "./path.js";
import { StepStay } from "./step-stay.js";
import type { StepEnding } from "./step-statistics.js";

/**
 * Returns the path on which the results of an item's parts become one.
 * @param index the collect's place among the steps of the pipeline
 */
export function collectPath<PartResult, Result>(
  index: number,
  collect: (results: PartResult[]) => Result | PromiseLike<Result>,
): Path<PartResult[], Result> {
  return (results, hold, run, next) => {
    hold.release();
    new OpenCollect(index, run, next).start(() => collect(results));
  };
}

/** One item that is collected. */
class OpenCollect<Result> implements Ticket {
  readonly #run: OpenRun;
  readonly #next: Next<Result>;
  readonly #stay: StepStay;
  #isOpen = true;

  constructor(index: number, run: OpenRun, next: Next<Result>) {
    this.#run = run;
    this.#next = next;
    this.#stay = new StepStay(run, index);
    run.add(this);
  }

  start(call: () => Result | PromiseLike<Result>): void {
    settleCall(
      call,
      (result) => {
        if (this.#end("completed")) this.#next(result, NO_HOLD);
      },
      (error) => {
        if (this.#end("failed")) this.#run.fail(this.#stay.index, error);
      },
    );
  }

  cancel(): void {
    this.#end("aborted");
  }

  setPriority(_priority: Priority): void {}

  /** Returns whether it was open until now. */
  #end(ending: StepEnding): boolean {
    if (!this.#isOpen) return false;
    this.#isOpen = false;
    this.#stay.leave(ending);
    this.#run.delete(this);
    return true;
  }
}
