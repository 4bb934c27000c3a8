// Planted bugs, as those of the batcher (sim/batcher/mutants.mjs): in pipelines, and in what only they and streams use.
// The invariants of this simulator catch each. `search` must occur exactly once in the file.

/** @type {readonly import("../batcher/mutants.mjs").Mutant[]} */
export const MUTANTS = [
  {
    name: "parts are collected in the order in which they finish",
    file: "pipelines/src/runs/split-path.ts",
    search: "this.#results[index] = result;",
    replace: "this.#results.push(result);",
  },
  {
    name: "an item is collected before all of its parts are there",
    file: "pipelines/src/runs/split-path.ts",
    search: "this.#done < this.#count ||",
    replace: "this.#done + 1 < this.#count ||",
  },
  {
    name: "a source of parts stays open when its run ends",
    file: "pipelines/src/runs/split-path.ts",
    search: "this.#hold.release();\n    this.#parts?.close();",
    replace: "this.#hold.release();",
  },
  {
    name: "a source that ends its own run stays open",
    file: "batcher/src/calls/source-reader.ts",
    search: "if (this.#isCloseDue) this.close();",
    replace: "",
  },
  {
    name: "a promise of another library settles a call twice",
    file: "batcher/src/calls/user-call.ts",
    search: "Promise.resolve(returned).then(use, fail);",
    replace: "returned.then(use, fail);",
  },
  {
    name: "an abort inside the call that makes a request is lost",
    file: "batcher/src/queue/late-ticket.ts",
    search: "if (this.#ticket === null) this.#cancelledWith ??= { reason };\n    else this.#ticket.cancel(reason);",
    replace: "this.#ticket?.cancel(reason);",
  },
  {
    name: "the other parts of a failed item go on",
    file: "pipelines/src/runs/open-run.ts",
    search: "for (const ticket of work) ticket.cancel(reason);",
    replace: "void work;",
  },
  {
    name: "each stage gets the whole timeout",
    file: "pipelines/src/runs/open-run.ts",
    search: "timeoutMs: remainingMs }",
    replace: "timeoutMs: this.#deadlineAtMs - this.startedAtMs }",
  },
  {
    name: "the timer of a run outlives it",
    file: "pipelines/src/runs/open-run.ts",
    search: "this.#cancelTimer();",
    replace: "",
  },
  {
    name: "a run can settle twice",
    file: "pipelines/src/runs/open-run.ts",
    search: "if (!this.isOpen) return;",
    replace: "",
  },
  {
    name: "the error of a part names the stage after it",
    file: "pipelines/src/runs/pipeline-errors.ts",
    search: "stage: index,",
    replace: "stage: index + 1,",
  },
  {
    name: "a newer run does not supersede the older run with its key",
    file: "pipelines/src/runs/pipeline-runs.ts",
    search: "older?.end(",
    replace: "older?.isOpen || older?.end(",
  },
  {
    name: "dispose forgets the open runs",
    file: "pipelines/src/runs/pipeline-runs.ts",
    search: 'run.end("disposed", error);',
    replace: "void run;",
  },
  {
    name: "a cancelled part keeps its slot",
    file: "pipelines/src/runs/stage-path.ts",
    search: "this.#parts.hold.release();\n    this.release();",
    replace: "this.#parts.hold.release();",
  },
  {
    name: "a part of an ended run is passed to its stage",
    file: "pipelines/src/runs/stage-path.ts",
    search: "this.#step.overloaded.withdraw(this);",
    replace: "",
  },
  {
    name: "an overloaded stage fails a stream",
    file: "pipelines/src/runs/stage-path.ts",
    search: "if (!run.isLimited || stage.letsWait === true || !isOverload(error)) return false;",
    replace: "if (run.isLimited || !isOverload(error)) return false;",
  },
  {
    name: "a part that waits for an overloaded stage is never asked again",
    file: "pipelines/src/runs/step.ts",
    search: "this.#setTimer(this.#waiting.size === 0 ? null : delayMs);",
    replace: "this.#setTimer(null);",
  },
  {
    name: "a stage takes one part too many of streams",
    file: "pipelines/src/runs/step.ts",
    search: "while (this.#taken < this.#limit)",
    replace: "while (this.#taken <= this.#limit)",
  },
  {
    name: "the entrance is always free",
    file: "pipelines/src/runs/pipeline-runs.ts",
    search: "return !this.#isTaken;",
    replace: "return !this.#isTaken || this.#isTaken;",
  },
];
