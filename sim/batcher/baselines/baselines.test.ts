import { describe, expect, it } from "vitest";
import { allCells } from "../model/cells.js";
import type { Row } from "../run/row.js";
import { runCell } from "../run/run-cell.js";
import { BASELINES } from "./index.js";

function run(cost: string, arrivals: string, policy: string): Row {
  const cell = allCells().find((each) => each.cost.name === cost && each.arrivals === arrivals);
  const baseline = BASELINES[policy];
  if (cell === undefined || baseline === undefined)
    throw new Error(`expected a cell and a policy, got ${cost} ${arrivals} ${policy}`);
  return runCell(cell, 0, 1, policy, baseline);
}

describe("the baselines, compared with their published figures", () => {
  it("paints 4 requests per frame after 1.72 frames with greedy dispatch, on a device that is over 90 % busy", () => {
    const row = run("8+0.05n", "scattered 4", "greedy");
    expect(row.framesToPaint).toBeCloseTo(1.72, 1);
    expect(row.busyShare).toBeGreaterThan(0.9);
  });

  it("paints 4 requests per frame after 2.00 frames with animation-frame flushes, on a device that is half idle", () => {
    const row = run("8+0.05n", "scattered 4", "raf");
    expect(row.framesToPaint).toBeCloseTo(2, 2);
    expect(row.busyShare).toBeCloseTo(0.49, 2);
  });

  it.each([
    ["greedy", 10],
    ["bentoml", 10],
    ["torchserve", 20],
    ["tf-shared", 20],
    ["ray", 20],
  ])("answers a single caller of a 9+1n model after the published time: %s, %d ms", (policy, p50Ms) => {
    expect(run("9+1n", "closed 1", policy).p50Ms).toBeCloseTo(p50Ms, 1);
  });

  it("answers half to three quarters of the requests in time with BentoML's shedding", () => {
    expect(run("9+1n", "overload 1.3x", "bentoml").goodShare).toBeCloseTo(0.777, 1);
    expect(run("9+1n", "overload 2x", "bentoml").goodShare).toBeCloseTo(0.5, 1);
  });

  it("diverges at 70 % of capacity with Ray's loop, which forms batches before the model is free", () => {
    expect(run("9+1n", "poisson 70%", "ray").p50Ms).toBeGreaterThan(1000);
  });

  it("wakes up without end while idle in batched's loop, and never in the work-conserving loop", () => {
    expect(run("9+1n", "burst 256 objective", "batched").idleWakeUps).toBeGreaterThan(100);
    expect(run("9+1n", "burst 256 objective", "greedy").idleWakeUps).toBe(0);
  });
});
