import { describe, expect, it } from "vitest";
import { BASELINES } from "./baselines/index.js";
import { allCells } from "./model/cells.js";
import { drawFrontier } from "./report/frontier-svg.js";
import { scenarios } from "./model/scenarios.js";
import { framebatch } from "./ours.js";
import type { Policy } from "./policy.js";
import type { Row } from "./run/row.js";
import { runCell } from "./run/run-cell.js";

function run(arrivals: string, policy: Policy, name = "frame"): Row {
  const cell = allCells().find((each) => each.cost.name === "8+0.05n" && each.arrivals === arrivals);
  if (cell === undefined) throw new Error(`expected a cell, got ${arrivals}`);
  return runCell(cell, 0.1, 1, name, policy);
}

const greedy = BASELINES["greedy"] ?? framebatch("idle");

describe("framebatch in virtual time", () => {
  it("paints 4 requests per frame sooner than greedy dispatch, with less than 60 % of its device time", () => {
    const [ours, theirs] = [run("scattered 4", framebatch("frame")), run("scattered 4", greedy)];
    expect(ours.framesToPaint).toBeLessThan(theirs.framesToPaint);
    expect(ours.busyShare).toBeLessThan(0.6 * theirs.busyShare);
  });

  it("serves a single caller within 5 % of the latency without batching", () => {
    const off = run("closed 1", framebatch("off"));
    expect(run("closed 1", framebatch("frame")).p50Ms).toBeLessThanOrEqual(1.05 * off.p50Ms);
  });

  it("gives the same row for the same seed", () => {
    expect(run("poisson 70%", framebatch("frame"))).toEqual(run("poisson 70%", framebatch("frame")));
  });

  it("fires no timer while nothing is queued or running", () => {
    for (const release of ["frame", "idle", "window", "off"] as const) {
      expect(run("frame burst 4", framebatch(release)).idleWakeUps).toBe(0);
    }
  });

  it("draws a frontier that names every policy", () => {
    const rows = [run("scattered 4", framebatch("frame")), run("scattered 4", greedy, "greedy")];
    const svg = drawFrontier(scenarios(rows));
    expect(svg).toContain(">frame</text>");
    expect(svg).toContain(">greedy</text>");
  });
});
