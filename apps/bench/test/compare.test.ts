import { describe, expect, it } from "vitest";
import { compareReports } from "../runner/results/compare.js";
import type { Ratio } from "../src/results.js";
import type { Estimate } from "../src/statistics/bootstrap.js";

function estimate(low: number, value: number, high: number): Estimate {
  return { value, interval: { low, high } };
}

function ratio(lane: string, throughput: Estimate | null, p50: Estimate | null = null): Ratio {
  const cell = {
    model: "mlp-tiny",
    backend: "wasm" as const,
    site: "isolated" as const,
    load: "closed-256",
    lane,
    adapter: null,
    over: "off",
  };
  return { ...cell, throughput, p50, p99: null, firstAnswer: null, pages: 1, rounds: 8 };
}

function changes(before: Ratio, after: Ratio): string[] {
  return compareReports({ ratios: [before] }, { ratios: [after] }).map(
    ({ what, isWorse }) => `${what} ${isWorse ? "worse" : "better"}`,
  );
}

describe("the comparison of two runs", () => {
  it("reports what became slower if the intervals do not overlap", () => {
    expect(changes(ratio("frame", estimate(9, 10, 11)), ratio("frame", estimate(6, 7, 8)))).toEqual([
      "throughput worse",
    ]);
  });

  it("treats a longer latency as worse and a shorter one as better", () => {
    const [short, long] = [estimate(0.1, 0.11, 0.12), estimate(0.2, 0.21, 0.22)];
    expect(changes(ratio("frame", null, short), ratio("frame", null, long))).toEqual(["p50 worse"]);
    expect(changes(ratio("frame", null, long), ratio("frame", null, short))).toEqual(["p50 better"]);
  });

  it("ignores noise, small changes and cells that only one run has", () => {
    expect(changes(ratio("frame", estimate(9, 10, 11)), ratio("frame", estimate(10, 12, 14)))).toEqual([]);
    expect(changes(ratio("frame", estimate(10, 10, 10)), ratio("frame", estimate(9.9, 9.9, 9.9)))).toEqual([]);
    expect(changes(ratio("frame", estimate(9, 10, 11)), ratio("idle", estimate(1, 1, 1)))).toEqual([]);
  });

  it("sorts by severity, the worst first", () => {
    const before = { ratios: [ratio("frame", estimate(10, 10, 10)), ratio("idle", estimate(10, 10, 10))] };
    const after = { ratios: [ratio("frame", estimate(8, 8, 8)), ratio("idle", estimate(5, 5, 5))] };
    expect(compareReports(before, after).map(({ cell }) => cell)).toEqual([
      "mlp-tiny/wasm/isolated/closed-256/idle over off",
      "mlp-tiny/wasm/isolated/closed-256/frame over off",
    ]);
  });
});
