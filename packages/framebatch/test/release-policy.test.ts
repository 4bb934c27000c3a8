import { describe, expect, it } from "vitest";
import { RELEASE_RULES, type Decision } from "../src/core/release-policy.js";
import type { Situation } from "../src/core/situation.js";

const fixed = (fixedMs: number, perRowMs: number) => ({
  predictMs: (size: number) => fixedMs + perRowMs * size,
  fixedMs,
});

/** One request waits, the engine is free, frames are 16 ms apart, and a run takes 8 ms and 1 ms a row. */
const PLAIN: Situation = {
  nowMs: 1,
  queued: 1,
  oldestAtMs: 1,
  othersWait: false,
  ratePerMs: 0,
  allowanceMs: 0,
  maxBatchSize: 8,
  freeSlots: 2,
  running: { batches: 0, rows: 0 },
  engines: 1,
  freeAtMs: 1,
  handoverMs: 0,
  bestSize: (queued) => queued,
  sufficientSize: () => 8,
  marginMs: 0,
  overheadMs: 0,
  grid: { originMs: 0, periodMs: 16 },
  isHidden: false,
  isClosedLoop: false,
  haveReturned: false,
  msPerReturn: 0,
  isWholeDue: false,
  patience: 1,
  mustStartByMs: Infinity,
  aimMs: null,
  maxQueueDelayMs: 10,
  ...fixed(8, 1),
};
/** Frames have stopped, and timers are throttled. */
const HIDDEN = { grid: null, isHidden: true } as const;

function told(decision: Decision): string {
  if (decision.action === "wait")
    return `wait ${decision.untilMs}${decision.aimMs === null ? "" : ` for ${decision.aimMs}`}`;
  const extra = decision.extraMs === 0 ? "" : `, ${decision.extraMs} extra`;
  return `${decision.size} ${decision.reason}${decision.forwentWait ? ", unwaited" : ""}${extra}`;
}

type Case = readonly [what: string, situation: Partial<Situation>, expected: string];

function table(rule: keyof typeof RELEASE_RULES, cases: readonly Case[]): void {
  it.each(cases)("%s", (_, situation, expected) => {
    const now = situation.nowMs ?? PLAIN.nowMs;
    expect(told(RELEASE_RULES[rule]({ ...PLAIN, freeAtMs: now, ...situation }))).toBe(expected);
  });
}

/** What `idle` and `frame` have in common. */
const JUST_IN_TIME: readonly Case[] = [
  ["waits for an answer while the engine has enough", { freeSlots: 0, queued: 8 }, "wait Infinity"],
  ["forms the next batch as the engine is to be free", { freeAtMs: 21, queued: 8 }, "wait 21"],
  ["forms it by a handover sooner", { freeAtMs: 21, handoverMs: 2, queued: 8 }, "wait 19"],
  ["sets no timer for 4 ms", { freeAtMs: 5 }, "wait Infinity"],
  ["sets one for more", { freeAtMs: 5.01 }, "wait 5.01"],
  ["sets none in a hidden tab", { freeAtMs: 100, ...HIDDEN }, "wait Infinity"],
  ["hands a full batch over at once instead", { freeAtMs: 4, queued: 8 }, "8 full"],
  ["hands one over at once where others wait behind it", { freeAtMs: 4, queued: 3, othersWait: true }, "3 idle"],
];

/** Four callers wait, and four more are in the batch that runs; messages are worth hiding. */
const ROUND: Partial<Situation> = {
  queued: 4,
  running: { batches: 1, rows: 4 },
  freeAtMs: 100,
  overheadMs: 5,
  isClosedLoop: true,
  haveReturned: true,
};

describe("the rule idle", () => {
  table("idle", [
    ["takes what there is", { queued: 3 }, "3 idle"],
    ["takes the best size of it", { queued: 7, bestSize: () => 4 }, "4 full"],
    ["calls a batch full that is large enough", { queued: 5, sufficientSize: () => 5 }, "5 full"],
    ["takes the larger part of what a cut costs nothing", { queued: 6, ...fixed(0.1, 1) }, "4 idle"],
    ["takes one of two", { queued: 2, ...fixed(0.01, 1) }, "1 idle"],
    ["does not cut a run whose fixed part is more than 5 %", { queued: 6, ...fixed(0.4, 1) }, "6 idle"],
    ["does not cut in a closed loop", { queued: 6, isClosedLoop: true, ...fixed(0.1, 1) }, "6 idle"],
    ["does not cut while others wait", { queued: 6, othersWait: true, ...fixed(0.1, 1) }, "6 idle"],
    ["does not cut before anything is known", { queued: 6, predictMs: null, fixedMs: 0 }, "6 idle"],
    ["hands one over that is as large as is best", { freeAtMs: 4, queued: 4, bestSize: () => 4 }, "4 idle"],
    ["cares for no frame", { aimMs: 16 }, "1 idle"],
    ["hands one over at once where nobody else can come before the engine is free", ROUND, "4 idle"],
    ["waits with it where somebody can", { ...ROUND, haveReturned: false }, "wait 100"],
    ...JUST_IN_TIME,
  ]);
});

describe("the rule frame", () => {
  table("frame", [
    // 1 more could join, and be painted at 16, until 16 - t(2).
    ["waits for its latest start", {}, "wait 6 for 16"],
    ["leaves at its latest start", { nowMs: 6, aimMs: 16 }, "1 frame"],
    ["leaves when hardly anything is left of the wait", { nowMs: 5.96, aimMs: 16 }, "1 frame"],
    ["leaves at once when it is too late for company from the start", { nowMs: 6.5 }, "1 idle"],
    ["aims for the next frame when it can no longer make the first", { nowMs: 8 }, "wait 22 for 32"],
    ["aims sooner when the engine is free sooner than was thought", { aimMs: 48 }, "wait 6 for 16"],
    [
      "waits no longer than a frame where one row seems to take longer than two",
      { nowMs: 7, predictMs: (size) => (size === 1 ? 13 : 9), fixedMs: 9 },
      "wait 19 for 32",
    ],
    ["keeps to its aim, come who may", { nowMs: 5, queued: 4, aimMs: 16 }, "4 frame"],
    ["starts sooner by the margin", { marginMs: 2 }, "wait 4 for 16"],
    [
      "counts one more, but no more than a batch holds",
      { queued: 7, maxBatchSize: 8, ...fixed(1, 1) },
      "wait 7 for 16",
    ],
    ["does not wait beyond the latest start for a deadline", { mustStartByMs: 3 }, "wait 3 for 16"],
    ["does not wait at all past that", { mustStartByMs: 1 }, "1 idle"],
    ["waits for as long as patience has it", { patience: 0.5 }, "wait 3.5 for 16"],
    ["forgoes a wait without patience", { patience: 0 }, "1 idle, unwaited"],
    ["has nobody to wait for when it is full", { queued: 8 }, "8 full"],
    ["has others wait for nobody", { othersWait: true }, "1 idle"],
    ["wastes no time where no frame is known", { grid: null }, "1 idle"],
    ["wastes no time before anything is known", { predictMs: null }, "1 idle"],
    ["works as idle in a hidden tab", { queued: 3, ...HIDDEN }, "3 idle"],
    ["wastes no time when each frame's work takes all of it", { ratePerMs: 0.5, ...fixed(8, 1) }, "1 idle"],
    ["waits when each frame's work leaves a tenth of it", { ratePerMs: 0.375, ...fixed(8, 1) }, "wait 6 for 16"],
    ["leaves at once where a second run costs next to nothing", { queued: 2, ...fixed(0.2, 1) }, "2 idle"],
    ["has a second run follow where the allowance pays for it", { allowanceMs: 3, ...fixed(3, 1) }, "wait 7 for 16"],
    ["pays for that run as it leaves", { nowMs: 7, aimMs: 16, allowanceMs: 3, ...fixed(3, 1) }, "1 frame, 3 extra"],
    ["waits in full once that is past", { nowMs: 9, aimMs: 16, allowanceMs: 3, ...fixed(3, 1) }, "wait 11 for 16"],
    ["waits in full without the allowance", { allowanceMs: 2.9, ...fixed(3, 1) }, "wait 11 for 16"],
    ...JUST_IN_TIME,
  ]);

  it("has the grid begin anywhere", () => {
    const grid = { originMs: 1003, periodMs: 16 };
    expect(told(RELEASE_RULES.frame({ ...PLAIN, grid }))).toBe("1 idle");
    expect(told(RELEASE_RULES.frame({ ...PLAIN, nowMs: 12, freeAtMs: 12, grid }))).toBe("wait 17 for 27");
  });
});

describe("the rule window", () => {
  table("window", [
    ["waits from the oldest on", { nowMs: 5, oldestAtMs: 1 }, "wait 11"],
    ["leaves with all as the window closes", { nowMs: 11, oldestAtMs: 1, queued: 5 }, "5 window"],
    ["waits until one tick before that", { nowMs: 10.999, oldestAtMs: 1 }, "wait 11"],
    ["leaves when it is full", { queued: 8 }, "8 full"],
    ["leaves with no more than a batch holds", { queued: 9 }, "8 full"],
    ["does not look at the engine but for its slots", { freeAtMs: 100, nowMs: 11, oldestAtMs: 1 }, "1 window"],
    ["waits for an answer while the engine has enough", { freeSlots: 0, queued: 8 }, "wait Infinity"],
    ["works as idle in a hidden tab", { queued: 3, ...HIDDEN }, "3 idle"],
    ["is closed at once where it is 0", { maxQueueDelayMs: 0 }, "1 window"],
  ]);
});
