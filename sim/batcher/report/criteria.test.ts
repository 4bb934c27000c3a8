import { describe, expect, it } from "vitest";
import { judge } from "./criteria.js";
import { scenarios } from "../model/scenarios.js";
import type { Row } from "../run/row.js";

const ROW: Row = {
  cost: "9+1n",
  arrivals: "scattered 4",
  noise: 0,
  seed: 1,
  policy: "greedy",
  p50Ms: 10,
  meanMs: 11,
  firstAnswerMs: 5,
  p95Ms: 15,
  p99Ms: 20,
  backgroundP99Ms: null,
  throughputPerSec: 100,
  framesToPaint: 2,
  busyShare: 0.5,
  deviceMsPerRequest: 4,
  goodShare: 1,
  answeredShare: 1,
  refusalP50Ms: null,
  runs: 100,
  meanBatchSize: 1,
  paddingWaste: 0,
  wakeUps: 0,
  idleWakeUps: 0,
  offered: 1000,
  completed: 1000,
  refused: 0,
};

function lost(...rows: readonly Partial<Row>[]): string[] {
  const verdicts = judge(scenarios(rows.map((row) => ({ ...ROW, ...row }))));
  return verdicts.filter((each) => !each.passed).map((each) => each.criterion);
}

describe("the criteria", () => {
  it("allow idle 5 % more latency and 2 % less throughput than the best baseline", () => {
    expect(lost({}, { policy: "idle", p50Ms: 10.5, p99Ms: 21, throughputPerSec: 98 })).toEqual([]);
    expect(lost({}, { policy: "idle", p50Ms: 10.6 })).toEqual(["idle p50"]);
    expect(lost({}, { policy: "idle", p99Ms: 21.1 })).toEqual(["idle p99"]);
    expect(lost({}, { policy: "idle", throughputPerSec: 97 })).toEqual(["idle throughput"]);
  });

  it("compare frame with every policy, including idle", () => {
    expect(lost({}, { policy: "idle", framesToPaint: 1.5 }, { policy: "frame", framesToPaint: 1.6 })).toEqual([
      "frame frames to paint",
    ]);
  });

  it("allow frame 10 % more device time than the animation-frame flush, if the flush keeps up", () => {
    const frame = { policy: "frame", deviceMsPerRequest: 5 };
    expect(lost({}, { policy: "raf" }, frame)).toEqual(["frame device time"]);
    expect(lost({}, { policy: "raf", throughputPerSec: 90 }, frame)).toEqual([]);
    const cost = "0.3+0.1n";
    expect(lost({ cost }, { cost, policy: "raf" }, { cost, ...frame })).toEqual([]);
  });

  it("ignore a rival's latency if it refuses more requests or leaves more unanswered than ours", () => {
    expect(lost({}, { policy: "bentoml", p50Ms: 1, refused: 500 }, { policy: "idle" })).toEqual([]);
    expect(lost({}, { policy: "bentoml", p50Ms: 1, completed: 500 }, { policy: "idle" })).toEqual([]);
    expect(lost({}, { policy: "bentoml", p50Ms: 1 }, { policy: "idle" })).toEqual(["idle p50"]);
  });

  it("judge scenarios with an objective by the share answered in time and by the time to a refusal", () => {
    const arrivals = "overload 2x";
    const rival = { arrivals, goodShare: 0.5, p50Ms: 1 };
    expect(lost(rival, { arrivals, policy: "frame", goodShare: 0.5, refusalP50Ms: 4 })).toEqual([]);
    expect(lost(rival, { arrivals, policy: "frame", goodShare: 0.49, refusalP50Ms: 6 })).toEqual([
      "frame good share",
      "frame time to refusal",
    ]);
  });

  it("judge the mean over the seeds", () => {
    const seeds = [
      { policy: "idle", seed: 1, p50Ms: 9 },
      { policy: "idle", seed: 2, p50Ms: 11 },
    ];
    expect(lost({}, { seed: 2 }, ...seeds)).toEqual([]);
  });

  it("allow no timer while nothing is queued or running", () => {
    expect(lost({}, { policy: "window", idleWakeUps: 1 })).toEqual(["window idle wake-ups"]);
  });
});
