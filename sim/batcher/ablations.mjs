// Mechanisms of the scheduler, each of which `npm run measure ablations` takes out of a build, so that a browser shows
// what it is worth. `search` must occur exactly once in the file.

/** @type {readonly import("./ablations.mjs").Ablation[]} */
export const ABLATIONS = [
  {
    name: "closed-loop-rate",
    what: "the best rate decides the size in a closed loop",
    edits: [
      {
        file: "batcher/src/decide/decide.ts",
        search: "if ((isClosedLoop && !isBurstAlone) || hasObjective)",
        replace: "if (hasObjective)",
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
    name: "busy-engine",
    what: "no wait for a frame while the engine is busy for nearly all of it",
    edits: [
      { file: "batcher/src/decide/release-rules.ts", search: " || isEngineBusy(situation, grid))", replace: ")" },
    ],
  },
  {
    name: "single-recheck",
    what: "the time of a single run is measured again before a batch is trusted to pay",
    edits: [
      {
        file: "batcher/src/cost/cost-model.ts",
        search: "if (best > 1 && !this.#isSingleKnown",
        replace: "if (best < 1",
      },
    ],
  },
  {
    name: "forgotten-sizes",
    what: "a forgotten size is measured again",
    edits: [
      {
        file: "batcher/src/cost/cost-model.ts",
        search: "return twice > best && this.weight(twice, volume) < MIN_WEIGHT ? twice : best;",
        replace: "return best;",
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
        file: "batcher/src/decide/decide.ts",
        search: "if (!isRound(situation)) return share;",
        replace: "return share;",
      },
    ],
  },
  {
    name: "merging-rounds",
    what: "a part of a round waits for the running one, to merge with its callers",
    edits: [
      {
        file: "batcher/src/decide/situation.ts",
        search: "return isOneRunBest && ",
        replace: "return isOneRunBest && others < 0 && ",
      },
    ],
  },
  {
    name: "time-to-answers",
    what: "the mean time to an answer decides the size, except in a closed loop",
    edits: [
      {
        file: "batcher/src/decide/decide.ts",
        search: "return { isAlone: isBurstAlone, waiting: queued, ratePerMs };",
        replace: "return 'endless';",
      },
    ],
  },
  {
    name: "lone-bursts",
    what: "nothing is expected to follow a lone burst",
    edits: [
      {
        file: "batcher/src/schedule/situation-now.ts",
        search: "isBurstAlone: arrivals.isBurstAlone(leader.enqueuedAtMs)",
        replace: "isBurstAlone: false",
      },
    ],
  },
  {
    name: "steady-bursts",
    what: "bursts that follow one another closely are a steady load",
    edits: [
      {
        file: "batcher/src/schedule/arrivals.ts",
        search: "isAtRest && nowMs - this.#burstAtMs > STEADY_WITHIN_MS",
        replace: "isAtRest",
      },
    ],
  },
  {
    name: "arrival-rate",
    what: "the arrival rate counts in the objective, not the queue alone",
    edits: [
      {
        file: "batcher/src/decide/best-size.ts",
        search: "isAlone ? waiting - queued : Math.max(waiting, load / (1 - load))",
        replace: "isAlone ? waiting - queued : waiting",
      },
    ],
  },
  {
    name: "frame-waits",
    what: "batches wait for a frame",
    edits: [
      {
        file: "batcher/src/schedule/situation-now.ts",
        search: "grid: mayWait ? frames.grid() : null",
        replace: "grid: null",
      },
    ],
  },
  {
    name: "earned-waits",
    what: "only waits that pay off are taken",
    edits: [
      {
        file: "batcher/src/schedule/situation-now.ts",
        search: "return this.#joinsEach >= MIN_JOINS;",
        replace: "return this.#joinsEach >= 0;",
      },
    ],
  },
  {
    name: "joins-cap",
    what: "at most two joins count for each opportunity to wait",
    edits: [
      {
        file: "batcher/src/schedule/situation-now.ts",
        search: "Math.min(this.#joins, MAX_JOINS)",
        replace: "this.#joins",
      },
    ],
  },
  {
    name: "dear-runs",
    what: "no wait saves a run that is cheap",
    edits: [
      {
        file: "batcher/src/decide/release-rules.ts",
        search: "situation.doesWaitPayOff && !isCheap",
        replace: "situation.doesWaitPayOff",
      },
    ],
  },
  {
    name: "prediction-margin",
    what: "a wait for a frame ends earlier by the error of the prediction",
    edits: [
      {
        file: "batcher/src/decide/situation.ts",
        search: "2 * times.deviation(size, volume) + frameMarginMs",
        replace: "frameMarginMs",
      },
    ],
  },
  {
    name: "just-in-time",
    what: "the next batch is formed before the engine is free",
    edits: [
      {
        file: "batcher/src/decide/situation.ts",
        search: "return freeAtMs - situation.handoverMs;",
        replace: "return situation.overdueAtMs;",
      },
    ],
  },
  {
    name: "late-timers",
    what: "no timer is set for a run that ends within 4 ms",
    edits: [
      {
        file: "batcher/src/decide/release-rules.ts",
        search: "formMs - nowMs > TIMER_LATENESS_MS && !isHidden",
        replace: "!isHidden",
      },
    ],
  },
  {
    name: "shed-one",
    what: "one leader is shed instead of shrinking the batch for each",
    edits: [
      {
        file: "batcher/src/decide/decide.ts",
        search: "if (isBehind && situation.newestObjectiveAtMs >= wholeEndMs) return 0;",
        replace: "",
      },
    ],
  },
];
