import { describe, expect, it } from "vitest";
import type { Decision, ReleaseContext } from "../../../../src/core/schedule/release/context.js";
import { RELEASE_RULES, type ReleaseRule } from "../../../../src/core/schedule/release/index.js";

/** One queued request, a free engine, frames 16 ms apart, and a run that takes 8 ms and 1 ms per row. */
const PLAIN: ReleaseContext = {
  nowMs: 1,
  queued: 1,
  maxBatchSize: 8,
  isFull: () => false,
  othersWait: false,
  startMs: 1,
  formAtMs: 1,
  overdueAtMs: 9,
  isHidden: false,
  predictMs: (size) => 8 + size,
  marginMs: 0,
  isEngineBusy: () => false,
  grid: { originMs: 0, periodMs: 16 },
  doesWaitPayOff: () => true,
  mustStartByMs: Infinity,
  targetFrameMs: null,
  windowClosesAtMs: 11,
};
/** Frames have stopped, and timers fire late. */
const HIDDEN = { grid: null, isHidden: true } as const;
const FULL = { isFull: () => true } as const;

function told(decision: Decision): string {
  if (decision.action === "dispatch") {
    const { reason, isWhole, free } = decision;
    return `${isWhole ? "all, " : ""}${reason}${free === null ? "" : `, free until ${free.untilMs}`}`;
  }
  const { untilMs, free } = decision;
  return `wait ${untilMs}${free === null ? "" : ` for ${free.frameMs}, free until ${free.untilMs}`}`;
}

type Case = readonly [what: string, context: Partial<ReleaseContext>, expected: string];

function table(rule: ReleaseRule, cases: readonly Case[]): void {
  it.each(cases)("%s", (_, context, expected) => {
    const nowMs = context.nowMs ?? PLAIN.nowMs;
    expect(told(RELEASE_RULES[rule]({ ...PLAIN, startMs: nowMs, formAtMs: nowMs, ...context }))).toBe(expected);
  });
}

/** The cases that `idle` and `frame` have in common. */
const JUST_IN_TIME: readonly Case[] = [
  ["forms the next batch just before the engine is free", { formAtMs: 21, ...FULL }, "wait 21"],
  ["waits for an answer within 4 ms, until the run is overdue", { formAtMs: 5 }, "wait 9"],
  ["waits for no run that is overdue already", { formAtMs: 5, overdueAtMs: 1, grid: null }, "idle"],
  ["sets a timer for more than 4 ms", { formAtMs: 5.01 }, "wait 5.01"],
  ["waits for the answer in a hidden tab, too", { formAtMs: 100, ...HIDDEN }, "wait 9"],
  ["dispatches a full batch at once instead", { formAtMs: 4, ...FULL }, "idle"],
  ["dispatches at once if other requests wait behind the batch", { formAtMs: 4, othersWait: true }, "idle"],
];

describe("the rule idle", () => {
  table("idle", [
    ["dispatches the queue", { queued: 3 }, "idle"],
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
      { nowMs: 7, predictMs: (size) => (size === 1 ? 13 : 9) },
      "wait 19 for 32, free until 19",
    ],
    ["keeps its target frame when more requests join", { nowMs: 5, queued: 4, targetFrameMs: 16 }, "all, frame"],
    ["starts earlier by the margin", { marginMs: 2 }, "wait 4 for 16, free until 4"],
    ["does not wait beyond the latest start for a deadline", { mustStartByMs: 3 }, "wait 3 for 16, free until 3"],
    ["dispatches at once at the latest start for a deadline", { mustStartByMs: 1 }, "idle"],
    ["does not wait if waits do not pay off", { doesWaitPayOff: () => false }, "idle, free until 6"],
    ["does not wait with a full batch", FULL, "idle"],
    ["does not wait if other requests wait behind the batch", { othersWait: true }, "idle"],
    ["does not wait if no wait for a frame is possible", { grid: null }, "idle"],
    ["does not wait while the engine is busy with each frame's work", { isEngineBusy: () => true }, "idle"],
    ["works like idle in a hidden tab", { queued: 3, ...HIDDEN }, "idle"],
    ...JUST_IN_TIME,
  ]);

  it("works with a grid of any origin", () => {
    const grid = { originMs: 1003, periodMs: 16 };
    expect(told(RELEASE_RULES.frame({ ...PLAIN, grid }))).toBe("idle");
    expect(told(RELEASE_RULES.frame({ ...PLAIN, nowMs: 12, startMs: 12, formAtMs: 12, grid }))).toBe(
      "wait 17 for 27, free until 17",
    );
  });
});

describe("the rule window", () => {
  table("window", [
    ["waits until the window closes", { nowMs: 5 }, "wait 11"],
    ["dispatches the whole queue when the window closes", { nowMs: 11, queued: 5 }, "all, window"],
    ["waits until one tick before the window closes", { nowMs: 10.999 }, "wait 11"],
    ["dispatches a full batch", { queued: 8 }, "all, full"],
    ["closes in time for a deadline, however late its timer fires", { mustStartByMs: 12, marginMs: 2 }, "wait 6"],
    ["dispatches the whole queue when it closes for a deadline", { nowMs: 6, mustStartByMs: 10 }, "all, window"],
    ["ignores when the engine is free", { formAtMs: 100, startMs: 100, nowMs: 11 }, "all, window"],
    ["works like idle in a hidden tab", { queued: 3, ...HIDDEN }, "idle"],
  ]);
});
