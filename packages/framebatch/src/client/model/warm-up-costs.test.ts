import { describe, expect, it } from "vitest";
import { costDataFrom } from "./worker-findings.js";
import { bestSize } from "@framebatch/batcher/decide/best-size.js";
import { CostModel } from "@framebatch/batcher/cost/cost-model.js";

function modelAfter(timings: Parameters<typeof costDataFrom>[0]): CostModel {
  const cost = new CostModel(64);
  cost.restore(costDataFrom(timings));
  return cost;
}

describe("the costs from the warm-up", () => {
  it("favour large batches when additional rows cost almost nothing", () => {
    const cost = modelAfter([
      { size: 1, volume: 1, ms: 8 },
      { size: 2, volume: 1, ms: 8.05 },
      { size: 8, volume: 1, ms: 8.4 },
    ]);
    expect(cost.predict(8)).toBeCloseTo(8.5, 1);
    expect(bestSize(cost, { queued: 64, limit: 64, volume: 1, hiddenMs: 0 }, "endless")).toBe(64);
  });

  it("favour single items when every row costs the same", () => {
    const cost = modelAfter([
      { size: 1, volume: 1, ms: 40 },
      { size: 2, volume: 1, ms: 80 },
    ]);
    expect(bestSize(cost, { queued: 64, limit: 64, volume: 1, hiddenMs: 0 }, "endless")).toBe(1);
  });

  it("scale with the volume of padded items", () => {
    const cost = modelAfter([
      { size: 1, volume: 16, ms: 1.5 },
      { size: 8, volume: 16, ms: 12.7 },
    ]);
    expect(cost.predict(1, 64) / cost.predict(1, 16)).toBeCloseTo(4, 0);
  });

  it("are unknown without timings", () => {
    expect(modelAfter([]).isKnown).toBe(false);
  });
});
