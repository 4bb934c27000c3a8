import { describe, expect, it } from "vitest";
import { standingsSections } from "../runner/print/standings-tables.js";
import { standingsOf } from "../runner/results/standings.js";
import type { Slice } from "../src/run/slice.js";
import { seededRandom } from "../src/statistics/random.js";

const GROUP = { model: "mlp-tiny", backend: "wasm", site: "isolated", load: "closed-16" } as const;

function slice(figures: Partial<Slice>): Slice {
  return {
    throughputPerSec: 1000,
    p50Ms: 1,
    p95Ms: 1,
    p99Ms: 1,
    maxMs: 1,
    meanMs: 1,
    firstAnswerMs: 1,
    lastAnswerMs: 1,
    latencyIsLowerBound: false,
    framesToPaint: 1,
    droppedFramesPerSec: 0,
    longTasksPerSec: 0,
    mainThreadUsPerPrediction: 1,
    busyShare: 1,
    meanBatchSize: 1,
    paddingWaste: 0,
    samples: 100,
    ...figures,
  };
}

/** Every lane has three slices. A list gives them individually. */
function standings(
  lanes: Readonly<Record<string, Partial<Slice> | readonly Partial<Slice>[]>>,
  load: string = GROUP.load,
) {
  const slices = Object.entries(lanes).map(([lane, figures]) => {
    const list: readonly Partial<Slice>[] = Array.isArray(figures) ? figures : [figures, figures, figures];
    return [lane, [list.map(slice)]] as const;
  });
  return standingsOf({ ...GROUP, load }, new Map(slices), seededRandom(1));
}

function outcomes(...request: Parameters<typeof standings>): string[] {
  return standings(...request).map(({ lane, what, peer, outcome }) => `${lane}: ${what} against ${peer}: ${outcome}`);
}

describe("the standings", () => {
  it("compare each promise with the best peer for it", () => {
    const lanes = {
      idle: { p50Ms: 2, p99Ms: 4, throughputPerSec: 1000 },
      off: { p50Ms: 1, p99Ms: 9, throughputPerSec: 1020 },
      dataloader: { p50Ms: 3, p99Ms: 5, throughputPerSec: 500 },
    };
    expect(outcomes(lanes)).toEqual([
      "idle: throughput against off: won",
      "idle: p50 against off: lost",
      "idle: p99 against dataloader: won",
    ]);
  });

  it("are inconclusive if the interval contains both kept and broken ratios", () => {
    const [, p50] = standings({ idle: [{ p50Ms: 9 }, { p50Ms: 12 }, { p50Ms: 13 }], off: { p50Ms: 10 } });
    expect(p50).toMatchObject({ what: "p50", outcome: "cannot tell", isMet: false, ratio: { value: 1.2 } });
  });

  it("name a difference that cannot be told and is below half a millisecond", () => {
    const [, p50] = standings({ idle: [{ p50Ms: 0.9 }, { p50Ms: 1.2 }, { p50Ms: 1.3 }], off: {} });
    expect(p50).toMatchObject({ what: "p50", outcome: "cannot feel", isMet: false });
  });

  it("use the ratio within each round, so that changes between rounds have no effect", () => {
    const figures = [{ p50Ms: 1 }, { p50Ms: 10 }, { p50Ms: 100 }];
    const [, p50] = standings({ idle: figures, off: figures });
    expect(p50?.ratio).toEqual({ value: 1, interval: { low: 1, high: 1 } });
  });

  it("compare bursts by the mean and by the first answer, not by throughput", () => {
    expect(outcomes({ frame: { firstAnswerMs: 1.2 }, off: { meanMs: 0.5 }, limit: {} }, "isolated-16")).toEqual([
      "frame: mean against off: lost",
      "frame: first answer against off: won",
    ]);
  });

  it("compare the first answer only with lanes whose mean is nearly as good as the best", () => {
    const lanes = {
      frame: { meanMs: 1, firstAnswerMs: 1 },
      "hand-written": { meanMs: 1.05, firstAnswerMs: 1 },
      off: { meanMs: 2, firstAnswerMs: 0.2 },
    };
    expect(outcomes(lanes, "isolated-16")).toEqual([
      "frame: mean against hand-written: won",
      "frame: first answer against hand-written: won",
    ]);
  });

  it("compare the frames to paint of `frame` with all other lanes, including framebatch's own", () => {
    const lanes = { frame: { framesToPaint: 1.5 }, idle: { framesToPaint: 1.2 } };
    expect(outcomes(lanes, "burst-16")).toEqual(["frame: frames to paint against idle: lost"]);
  });

  it("omit cells without a peer and figures that a lane cannot measure", () => {
    expect(standings({ idle: {}, limit: {} })).toEqual([]);
    expect(outcomes({ idle: { latencyIsLowerBound: true }, off: {} })).toEqual(["idle: throughput against off: won"]);
  });
});

describe("the tables of the standings", () => {
  const [text = "", last = ""] = ["mlp-tiny, wasm, isolated site", "all"].map((title) => {
    const sections = standingsSections(standings({ idle: { p50Ms: 2, throughputPerSec: 500 }, off: {} }));
    return sections[sections.indexOf(`## Against the best peer: ${title}`) + 1];
  });

  it("have one line per load and lane of a model", () => {
    expect(text.split("\n").at(-1)).toBe(
      "| closed-16 | idle | **lost** 0.500× (0.500 to 0.500) off | **lost** 2.00× (2.00 to 2.00) off | won 1.00× (1.00 to 1.00) off |",
    );
  });

  it("end with the broken promises, the worst first", () => {
    expect(last).toContain("3 promises: 1 won, 2 lost, 0 too small a difference to feel, 0 cannot tell");
    const lost = last.split("\n").filter((line) => line.startsWith("| mlp-tiny"));
    expect(lost.map((line) => line.split(" | ")[1])).toEqual(["throughput", "p50"]);
  });

  it("are omitted without standings", () => {
    expect(standingsSections([])).toEqual([]);
  });
});

describe("builds of framebatch", () => {
  const of = (now: Partial<Slice>, ...others: Partial<Slice>[]) =>
    standings({ "frame@now": now, ...Object.fromEntries(others.map((each, index) => [`frame@${index}`, each])) });

  it("are each compared with the first, at their throughput, p50 and p99", () => {
    const told = of({ throughputPerSec: 1000 }, { throughputPerSec: 1200 }, { throughputPerSec: 900, p50Ms: 2 });
    expect(told.map(({ lane, peer, what, outcome }) => [lane, peer, what, outcome])).toEqual([
      ["frame@0", "frame@now", "throughput", "won"],
      ["frame@1", "frame@now", "throughput", "lost"],
      ["frame@0", "frame@now", "p50", "won"],
      ["frame@1", "frame@now", "p50", "lost"],
      ["frame@0", "frame@now", "p99", "won"],
      ["frame@1", "frame@now", "p99", "won"],
    ]);
  });

  it("promise nothing to the lanes of other benchmarks", () => {
    expect(standings({ frame: {}, off: {} }).every(({ lane }) => lane === "frame")).toBe(true);
  });
});
