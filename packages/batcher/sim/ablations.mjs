// Mechanisms of the scheduler, each of which `node scripts/ablations.mjs` takes out of a build, so that a browser shows
// what it is worth. `search` must occur exactly once in the file.

/** @type {readonly import("./ablations.mjs").Ablation[]} */
export const ABLATIONS = [
  {
    name: "closed-loop-rate",
    what: "the best rate decides the size in a closed loop",
    edits: [
      {
        file: "batcher/src/decide/size.ts",
        search: "if ((!isAlone && situation.isClosedLoop) || situation.hasObjective)",
        replace: "if (situation.hasObjective)",
      },
    ],
  },
  {
    name: "even-runs",
    what: "a queue is divided into even runs",
    edits: [
      {
        file: "batcher/src/decide/best-size.ts",
        search: "return Math.ceil(queued / Math.ceil(queued / size));",
        replace: "return Math.min(queued, size);",
      },
    ],
  },
  {
    name: "earned-gain",
    what: "a batch must gain more than a twentieth, or an eighth in a lone burst",
    edits: [
      {
        file: "batcher/src/decide/best-size.ts",
        search: "const EARNED_RATE = 0.05;",
        replace: "const EARNED_RATE = 0;",
      },
      {
        file: "batcher/src/decide/best-size.ts",
        search: "const EARNED_SHARE = 1 / 8;",
        replace: "const EARNED_SHARE = 0;",
      },
    ],
  },
  {
    name: "passed-over-leader",
    what: "a leader that was queued at the last dispatch does not wait again",
    edits: [
      {
        file: "batcher/src/schedule/wait-payoff.ts",
        search: " && enqueuedAtMs > this.#lastDispatchMs",
        replace: " && enqueuedAtMs > -Infinity",
      },
    ],
  },
  {
    name: "busy-engine",
    what: "no wait for a frame while the engine is busy for nearly all of it",
    edits: [{ file: "batcher/src/decide/frame.ts", search: " || isEngineBusy(situation, grid))", replace: ")" }],
  },
  {
    name: "single-recheck",
    what: "the time of a single run is measured again before a batch is trusted to pay",
    edits: [{ file: "batcher/src/decide/size.ts", search: "if (isInDoubt(size, situation)) return 1;", replace: "" }],
  },
  {
    name: "forgotten-sizes",
    what: "a forgotten size is measured again",
    edits: [
      {
        file: "batcher/src/decide/size.ts",
        search: "return twice > size && times.isForgotten(twice, volume) ? twice : size;",
        replace: "return size;",
      },
    ],
  },
  {
    name: "hidden-overlap",
    what: "the part of a run that overlaps with the one before it does not count",
    edits: [
      {
        file: "batcher/src/decide/best-size.ts",
        search: "return Math.max(runMs / 2, runMs - hiddenMs);",
        replace: "return runMs;",
      },
    ],
  },
  {
    name: "alternating-runs",
    what: "a round of a closed loop runs in two halves that alternate",
    edits: [
      {
        file: "batcher/src/decide/size.ts",
        search: "if (!isRound(situation)) return situation.size;",
        replace: "return situation.size;",
      },
    ],
  },
  {
    name: "merging-rounds",
    what: "a part of a round waits for the running one, to merge with its callers",
    edits: [
      {
        file: "batcher/src/decide/rounds.ts",
        search: "return isOneRunBest && ",
        replace: "return isOneRunBest && others < 0 && ",
      },
    ],
  },
];
