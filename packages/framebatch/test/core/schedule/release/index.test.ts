import { describe, expect, it } from "vitest";
import type { Decision, ReleaseContext } from "../../../../src/core/schedule/release/context.js";
import { RELEASE_RULES, type ReleaseRule } from "../../../../src/core/schedule/release/index.js";

/** One request waits, the engine is free, frames are 16 ms apart, and a run takes 8 ms and 1 ms a row. */
const PLAIN: ReleaseContext = {
  nowMs: 1,
  queued: 1,
  maxBatchSize: 8,
  isFull: () => false,
  othersWait: false,
  startMs: 1,
  formAtMs: 1,
  isHidden: false,
  predictMs: (size) => 8 + size,
  marginMs: 0,
  isEngineBusy: () => false,
  grid: { originMs: 0, periodMs: 16 },
  waitFraction: () => 1,
  mustStartByMs: Infinity,
  targetFrameMs: null,
  windowClosesAtMs: 11,
};
/** Frames have stopped, and timers come late. */
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

/** What `idle` and `frame` have in common. */
const JUST_IN_TIME: readonly Case[] = [
  ["waits until something happens where it is told so", { formAtMs: Infinity, ...FULL }, "wait Infinity"],
  ["forms the next batch just before the engine is free", { formAtMs: 21, ...FULL }, "wait 21"],
  ["sets no timer for 4 ms", { formAtMs: 5 }, "wait Infinity"],
  ["sets a timer for more", { formAtMs: 5.01 }, "wait 5.01"],
  ["sets no timer in a hidden tab", { formAtMs: 100, ...HIDDEN }, "wait Infinity"],
  ["hands over a full batch at once instead", { formAtMs: 4, ...FULL }, "idle"],
  ["hands over at once where others wait behind", { formAtMs: 4, othersWait: true }, "idle"],
];

describe("the rule idle", () => {
  table("idle", [
    ["sends what waits", { queued: 3 }, "idle"],
    ["ignores frames", { targetFrameMs: 16 }, "idle"],
    ...JUST_IN_TIME,
  ]);
});

describe("the rule frame", () => {
  table("frame", [
    // 1 more could join, and be painted at 16, until 16 - t(2).
    ["waits for its latest start", {}, "wait 6 for 16, free until 6"],
    ["sends all at its latest start", { nowMs: 6, targetFrameMs: 16 }, "all, frame"],
    ["sends all when hardly anything is left of the wait", { nowMs: 5.96, targetFrameMs: 16 }, "all, frame"],
    ["sends at once when it is too late for others from the start", { nowMs: 6.5 }, "idle"],
    ["aims for the next frame when it can no longer make the first", { nowMs: 8 }, "wait 22 for 32, free until 22"],
    ["aims sooner when the engine is free sooner than predicted", { targetFrameMs: 48 }, "wait 6 for 16, free until 6"],
    [
      "waits no longer than a frame where one row seems to take longer than two",
      { nowMs: 7, predictMs: (size) => (size === 1 ? 13 : 9) },
      "wait 19 for 32, free until 19",
    ],
    ["keeps its aim when others join", { nowMs: 5, queued: 4, targetFrameMs: 16 }, "all, frame"],
    ["starts sooner by the margin", { marginMs: 2 }, "wait 4 for 16, free until 4"],
    ["does not wait beyond the latest start for a deadline", { mustStartByMs: 3 }, "wait 3 for 16, free until 3"],
    ["does not wait past that", { mustStartByMs: 1 }, "idle"],
    ["waits for the share that waitFraction allows", { waitFraction: () => 0.5 }, "wait 3.5 for 16, free until 6"],
    ["forgoes the wait without waitFraction", { waitFraction: () => 0 }, "idle, free until 6"],
    ["does not wait with a full batch", FULL, "idle"],
    ["does not keep others waiting", { othersWait: true }, "idle"],
    ["does not wait where no frame is known", { grid: null }, "idle"],
    ["does not wait before anything is known", { predictMs: null }, "idle"],
    ["does not wait while the engine is busy with each frame's work", { isEngineBusy: () => true }, "idle"],
    ["works as idle in a hidden tab", { queued: 3, ...HIDDEN }, "idle"],
    ...JUST_IN_TIME,
  ]);

  it("works with a grid that begins anywhere", () => {
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
    ["sends all as it closes", { nowMs: 11, queued: 5 }, "all, window"],
    ["waits until one tick before that", { nowMs: 10.999 }, "wait 11"],
    ["sends a full batch", { queued: 8 }, "all, full"],
    ["ignores when the engine is free", { formAtMs: 100, startMs: 100, nowMs: 11 }, "all, window"],
    ["works as idle in a hidden tab", { queued: 3, ...HIDDEN }, "idle"],
  ]);
});
