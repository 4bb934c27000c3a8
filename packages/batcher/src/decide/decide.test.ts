import { describe, expect, it } from "vitest";
import { decide, type Decision } from "./decide.js";
import { RELEASE_RULES, type ReleaseRule } from "./release-rules.js";
import { type Facts, situation } from "../../test/support/situation.js";

function told(decision: Decision): string {
  if (decision.action === "wait") return `wait ${decision.untilMs}`;
  return decision.action === "shed" ? `shed at ${decision.endMs}` : `${decision.size}, ${decision.reason}`;
}

type Case = readonly [what: string, facts: Facts, expected: string];

function table(rule: ReleaseRule, cases: readonly Case[]): void {
  it.each(cases)("%s", (_, facts, expected) => {
    expect(told(decide(situation(facts), RELEASE_RULES[rule]))).toBe(expected);
  });
}

const CLOSED = { isClosedLoop: true, haveReturned: true } as const;
/** Every row takes as long as a run of one. */
const NO_GAIN = { predict: (size: number) => 9 * size, line: { fixedMs: 0 } } as const;

describe("the decision with the rule idle", () => {
  table("idle", [
    ["dispatches what is queued", { size: 3 }, "3, idle"],
    ["names a batch that nothing else can join", { size: 8 }, "8, full"],
    ["waits for room among background requests", { isBackground: true, mayStartAtMs: 7 }, "wait 7"],
    ["divides a burst that batching does not pay for", { size: 4, isBurstAlone: true, times: NO_GAIN }, "1, full"],
    ["dispatches a flushed queue in sizes that pay", { size: 4, isFlushed: true }, "4, flush"],
    ["takes an equal share for each engine", { size: 8, engines: 2 }, "4, full"],
    [
      "leaves the work on one engine if messages take longer than is saved",
      { size: 8, engines: 2, overheadMs: 5 },
      "8, full",
    ],
    ["alternates in a closed loop if messages hide a run", { size: 8, ...CLOSED, hiddenMs: 4 }, "4, full"],
    ["runs a round as one otherwise", { size: 8, ...CLOSED }, "8, full"],
    [
      "runs another size if a time is to be measured again, of those that may run",
      { size: 8, engines: 2, times: { probe: (best, limit) => best + limit - 1 } },
      "7, full",
    ],
    ["takes no more than the latency objective leaves time for", { size: 8, timelySize: 3 }, "3, full"],
  ]);
});

describe("the decision about a leader with a latency objective", () => {
  const late = (objectiveAtMs: number, newestObjectiveAtMs = 0): Facts => ({
    size: 8,
    leader: { objectiveAtMs },
    hasObjective: true,
    newestObjectiveAtMs,
  });
  table("idle", [
    ["dispatches the whole batch in time", late(17), "8, full"],
    ["dispatches as many as are in time with the leader", late(13), "4, full"],
    ["sheds a leader that is late even alone", late(9.9), "shed at 17"],
    [
      "sheds a late leader whose newest request is in time with the whole batch, behind another one",
      { ...late(13, 17), batchesRunning: 1 },
      "shed at 17",
    ],
    ["keeps a leader that only a free engine's wait for others has made late", late(13, 17), "4, full"],
    ["never sheds a background request", { ...late(9), isBackground: true }, "8, full"],
  ]);
});

describe("the decision with the rule window", () => {
  table("window", [
    ["dispatches the whole queue, whatever the sizes cost", { nowMs: 11, size: 5, times: NO_GAIN }, "5, window"],
    ["dispatches a flushed queue whole", { size: 5, times: NO_GAIN, isFlushed: true }, "5, flush"],
  ]);
});

describe("the decision with the rule frame", () => {
  table("frame", [
    ["dispatches the whole batch for its frame", { nowMs: 6, size: 5, targetFrameMs: 16 }, "5, frame"],
    ["waits for the latest start", {}, "wait 6"],
  ]);
});
