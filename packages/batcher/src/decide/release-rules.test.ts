import { describe, expect, it } from "vitest";
import type { Release, Wait } from "./decide.js";
import { RELEASE_RULES, type ReleaseRule } from "./release-rules.js";
import type { Situation } from "./situation.js";
import { type Facts, situation } from "../../test/support/situation.js";

/** Frames have stopped, and timers fire late. */
const HIDDEN = { isHidden: true, grid: null } as const;
/** A larger batch has no better rate. */
const FULL = { size: 8 } as const;

function told(timing: Release | Wait): string {
  if (timing.action === "release") {
    const { reason, isWhole, free } = timing;
    return `${isWhole ? "all, " : ""}${reason}${free === null ? "" : `, free until ${free.untilMs}`}`;
  }
  const { untilMs, free } = timing;
  return `wait ${untilMs}${free === null ? "" : ` for ${free.frameMs}, free until ${free.untilMs}`}`;
}

type Case = readonly [what: string, facts: Facts, expected: string];

function table(rule: ReleaseRule, cases: readonly Case[]): void {
  it.each(cases)("%s", (_, facts, expected) => {
    expect(told(RELEASE_RULES[rule].timing(situation(facts)))).toBe(expected);
  });
}

/** The engine is busy until `freeAtMs`. */
const busyUntil = (freeAtMs: number, overdueAtMs = 9): Facts => ({
  batchesRunning: 1,
  rowsRunning: 1,
  freeAtMs,
  overdueAtMs,
});
/** Requests that cannot run with these are queued. */
const OTHERS = { queued: 3, urgent: 3 } as const;

/** The cases that `idle` and `frame` have in common. */
const JUST_IN_TIME: readonly Case[] = [
  ["forms the next batch just before the engine is free", { ...busyUntil(21), ...FULL }, "wait 21"],
  ["waits for an answer within 4 ms, until the run is overdue", busyUntil(5), "wait 9"],
  ["waits for no run that is overdue already", { ...busyUntil(5, 1), grid: null }, "idle"],
  ["sets a timer for more than 4 ms", busyUntil(5.01), "wait 5.01"],
  ["waits for the answer in a hidden tab, too", { ...busyUntil(100), ...HIDDEN }, "wait 9"],
  ["dispatches a full batch at once instead", { ...busyUntil(4), ...FULL }, "idle"],
  ["dispatches at once if other requests wait behind the batch", { ...busyUntil(4), ...OTHERS }, "idle"],
  ["forms the batch earlier by the time of a message", { freeAtMs: 21, handoverMs: 2 }, "wait 19"],
];

describe("the rule idle", () => {
  table("idle", [
    ["dispatches the queue", { size: 3 }, "idle"],
    ["ignores frames", { targetFrameMs: 16 }, "idle"],
    ...JUST_IN_TIME,
  ]);
});

describe("the rule frame", () => {
  table("frame", [
    // One more request could join and still be painted at 16 ms, until 16 - t(2).
    ["waits for its latest start", {}, "wait 6 for 16, free until 6"],
    ["dispatches the whole queue at its latest start", { nowMs: 6, targetFrameMs: 16 }, "all, frame"],
    [
      "dispatches the whole queue when almost nothing of the wait remains",
      { nowMs: 5.96, targetFrameMs: 16 },
      "all, frame",
    ],
    ["dispatches at once if it is too late for more requests from the start", { nowMs: 6.5 }, "idle"],
    ["targets the next frame if it can no longer reach the first", { nowMs: 8 }, "wait 22 for 32, free until 22"],
    [
      "targets an earlier frame if the engine is free sooner than predicted",
      { targetFrameMs: 48 },
      "wait 6 for 16, free until 6",
    ],
    [
      "waits no longer than a frame if one row is predicted to take longer than two",
      { nowMs: 7, times: { predict: (size) => (size === 1 ? 13 : 12.5) } },
      "wait 19 for 32, free until 19",
    ],
    ["keeps its target frame when more requests join", { nowMs: 5, size: 4, targetFrameMs: 16 }, "all, frame"],
    [
      "starts earlier by twice the deviation, and by the margin",
      { times: { deviation: () => 0.5 }, frameMarginMs: 1 },
      "wait 4 for 16, free until 4",
    ],
    [
      "does not wait beyond the latest start for a deadline",
      { leader: { deadlineMs: 12 } },
      "wait 3 for 16, free until 3",
    ],
    ["dispatches at once at the latest start for a deadline", { leader: { deadlineMs: 10 } }, "idle"],
    ["does not wait if waits do not pay off", { doesWaitPayOff: false }, "idle, free until 6"],
    ["does not wait to save a cheap run", { times: { line: { fixedMs: 2.25 } } }, "idle, free until 6"],
    ["does not wait with a full batch", FULL, "idle"],
    ["does not wait if other requests wait behind the batch", OTHERS, "idle"],
    ["does not count requests of lower priority behind the batch", { queued: 3 }, "wait 6 for 16, free until 6"],
    ["does not wait if no wait for a frame is possible", { grid: null }, "idle"],
    // 8 requests in a frame of 16 ms take 16 ms.
    ["does not wait while the engine is busy with each frame's work", { ratePerMs: 0.5 }, "idle"],
    ["works like idle in a hidden tab", { size: 3, ...HIDDEN }, "idle"],
    ...JUST_IN_TIME,
  ]);

  it("works with a grid of any origin", () => {
    const grid = { originMs: 1003, periodMs: 16 };
    expect(told(RELEASE_RULES.frame.timing(situation({ grid })))).toBe("idle");
    expect(told(RELEASE_RULES.frame.timing(situation({ nowMs: 12, grid })))).toBe("wait 17 for 27, free until 17");
  });
});

describe("the rule window", () => {
  table("window", [
    ["waits until the window closes", { nowMs: 5 }, "wait 11"],
    ["dispatches the whole queue when the window closes", { nowMs: 11, size: 5 }, "all, window"],
    ["waits until one tick before the window closes", { nowMs: 10.999 }, "wait 11"],
    ["dispatches a full batch", { size: 8 }, "all, full"],
    [
      "closes in time for a deadline, however late its timer fires",
      { leader: { deadlineMs: 21 }, frameMarginMs: 2 },
      "wait 6",
    ],
    [
      "dispatches the whole queue when it closes for a deadline",
      { nowMs: 6, leader: { deadlineMs: 19 } },
      "all, window",
    ],
    ["ignores when the engine is free", { ...busyUntil(100), nowMs: 11 }, "all, window"],
    ["works like idle in a hidden tab", { size: 3, ...HIDDEN }, "idle"],
  ]);
});

/** A complete round of a closed loop of 8 callers, one half of which runs until 20 ms. */
const ROUND: Facts = {
  nowMs: 10,
  size: 4,
  batchesRunning: 1,
  rowsRunning: 4,
  freeAtMs: 20,
  overdueAtMs: 30,
  isClosedLoop: true,
  haveReturned: true,
  grid: null,
};

describe("a round of a closed loop", () => {
  table("idle", [
    ["waits for the running half until it is overdue, if one run of both is better", ROUND, "wait 30"],
    [
      "alternates with the running half if messages hide the second run's fixed time",
      { ...ROUND, hiddenMs: 4 },
      "idle",
    ],
    ["waits if messages take as long but do not overlap with a run", { ...ROUND, overheadMs: 4 }, "wait 30"],
    ["alternates if the callers' own work hides it", { ...ROUND, msPerReturn: 1 }, "idle"],
    ["goes to an engine that is free", { ...ROUND, engines: 2 }, "idle"],
    ["does not wait beyond its due time", { ...ROUND, leader: { dueMs: 19 } }, "idle"],
  ]);
});

describe("the decision about a situation", () => {
  it("does not change it", () => {
    const frozen: Situation = Object.freeze(situation({}));
    expect(told(RELEASE_RULES.frame.timing(frozen))).toBe(told(RELEASE_RULES.frame.timing(frozen)));
  });
});
