import { describe, expect, it } from "vitest";
import { poolPages } from "../runner/results/pool.js";
import type { PageReport, Site } from "../src/results.js";
import { drivenSlice } from "../src/run/slice.js";

function page(site: Site, rates: Readonly<Record<string, readonly number[]>>): PageReport {
  const name = { model: "digits", backend: "wasm" as const, site, load: "closed-4" };
  const facts = { timerResolutionMs: 0.005, framePeriodMs: 16.7, callerUsPerPrediction: 1 };
  const slices = Object.entries(rates).map(
    ([lane, values]) =>
      [lane, values.map((rate) => drivenSlice({ predictions: rate, elapsedMs: 1000, batchSize: 1 }))] as const,
  );
  return {
    backend: "wasm",
    adapter: null,
    page: { crossOriginIsolated: site === "isolated", ...facts },
    groups: [{ name, slices }],
    curves: [],
    memory: [],
    micro: [],
    gaps: [],
  };
}

describe("the figures of several pages", () => {
  const pages = [
    page("isolated", { frame: [118, 236], off: [100, 200] }),
    page("isolated", { frame: [75, 150], off: [100, 200] }),
    page("isolated", { frame: [100, 200], off: [100, 200] }),
  ];

  it("have intervals that contain the spread between pages", () => {
    const { ratios, standings } = poolPages(pages, 1);
    expect(ratios).toHaveLength(1);
    const { throughput, pages: count, rounds } = ratios[0]!;
    expect([count, rounds, throughput]).toEqual([3, 6, { value: 1, interval: { low: 0.75, high: 1.18 } }]);
    expect(standings.find(({ what }) => what === "throughput")?.outcome).toBe("cannot tell");
  });

  it("keep ordinary and isolated sites apart", () => {
    const { rows } = poolPages([...pages, page("ordinary", { frame: [50] })], 1);
    expect(rows.map(({ site, lane, throughputPerSec, pages: count }) => [site, lane, throughputPerSec, count])).toEqual(
      [
        ["isolated", "frame", 134, 3],
        ["isolated", "off", 150, 3],
        ["ordinary", "frame", 50, 1],
      ],
    );
  });

  it("use a lane that failed on one page where it was measured", () => {
    const { rows } = poolPages([...pages, page("isolated", { off: [100] })], 1);
    expect(rows.map(({ lane, pages: count, slices }) => [lane, count, slices])).toEqual([
      ["frame", 3, 6],
      ["off", 4, 7],
    ]);
  });

  it("say how many rounds are behind a ratio, not behind its lane", () => {
    const { ratios } = poolPages([...pages, page("isolated", { frame: [50, 60] })], 1);
    expect(ratios).toMatchObject([{ pages: 3, rounds: 6 }]);
  });

  it("have no ratio of latencies that are lower bounds", () => {
    const slice = drivenSlice({ predictions: 100, elapsedMs: 1000, batchSize: 1 });
    const withLatency = (latencyIsLowerBound: boolean) => {
      const measured = page("isolated", {});
      const [group] = measured.groups;
      const ofLane = { ...slice, p50Ms: 2, p99Ms: 3, latencyIsLowerBound };
      const slices = ["frame", "off"].map((lane) => [lane, [ofLane]] as const);
      return poolPages([{ ...measured, groups: [{ ...group!, slices }] }], 1).ratios[0];
    };
    expect(withLatency(false)).toMatchObject({ p50: { value: 1 }, p99: { value: 1 } });
    expect(withLatency(true)).toMatchObject({ p50: null, p99: null, rounds: 1 });
  });
});
