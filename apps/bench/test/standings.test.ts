import { describe, expect, it } from "vitest";
import { standingsOf } from "../runner/standings.js";
import type { Row } from "../src/results.js";

function row(lane: string, figures: Partial<Row>): Row {
  return {
    model: "mlp-tiny",
    backend: "wasm",
    load: "closed-16",
    lane,
    adapter: null,
    throughputPerSec: 1000,
    throughputInterval: { low: 1000, high: 1000 },
    p50Ms: 1,
    p50Interval: null,
    p95Ms: 1,
    p99Ms: 1,
    maxMs: 1,
    latencyIsLowerBound: false,
    latencyIsCoarse: false,
    framesToPaint: 1,
    droppedFramesPerSec: 0,
    longTasksPerSec: 0,
    mainThreadUsPerPrediction: 1,
    busyShare: 1,
    meanBatchSize: 1,
    paddingWaste: 0,
    slices: 5,
    samples: 100,
    ...figures,
  };
}

function outcomes(rows: readonly Row[]): string[] {
  return standingsOf(rows).map(({ what, peer, outcome }) => `${what} against ${peer}: ${outcome}`);
}

describe("the standings", () => {
  it("hold each promise against the peer that is best at it, the lost ones first", () => {
    const rows = [
      row("idle", { p50Ms: 2, p99Ms: 4, throughputPerSec: 1000 }),
      row("off", { p50Ms: 1, p99Ms: 9, throughputPerSec: 1020 }),
      row("dataloader", { p50Ms: 3, p99Ms: 5, throughputPerSec: 500 }),
    ];
    expect(outcomes(rows)).toEqual([
      "p50 against off: lost",
      "time a prediction against off: tied",
      "p99 against dataloader: won",
    ]);
  });

  it("hold frames to paint of frame against every other way, framebatch's own included", () => {
    const rows = [row("frame", { framesToPaint: 1.5 }), row("idle", { framesToPaint: 1.2 })];
    expect(outcomes(rows)).toEqual(["frames to paint against idle: lost"]);
  });

  it("say nothing of a cell without a peer, nor of what a lane cannot tell", () => {
    expect(standingsOf([row("idle", {}), row("limit", {})])).toEqual([]);
    expect(outcomes([row("frame", { framesToPaint: null }), row("off", {})])).toEqual([]);
  });

  it("compare nothing across models, backends and loads", () => {
    expect(standingsOf([row("idle", {}), row("off", { load: "closed-1" })])).toEqual([]);
  });
});
