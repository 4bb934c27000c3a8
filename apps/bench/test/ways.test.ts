import { describe, expect, it } from "vitest";
import { standingsOf } from "../runner/results/standings.js";
import { collectFirstAnswers, sliceOf } from "../runner/ways/first-answers.js";
import { cellsOf, lanesOf } from "../runner/ways/plan.js";
import { mayBeBest, mayBeSoonest } from "../runner/ways/race.js";
import { summaryOf } from "../runner/ways/tables.js";
import { inRounds } from "../src/ways/rounds-of-trials.js";
import { drivenSlice, type Slice } from "../src/run/slice.js";
import { seededRandom } from "../src/statistics/random.js";

const CELL = { model: "mlp-tiny", backend: "wasm", site: "isolated" } as const;

/** An answer of a lane; the way that it runs on does not matter here. */
const answer = (firstMs: number, callMs = 1) => ({ firstMs, callMs, runsOn: null });

/** Three slices with these figures. */
function slices(figures: Partial<Slice>): readonly (readonly Slice[])[] {
  const slice = { ...drivenSlice({ predictions: 100, elapsedMs: 100, batchSize: 1 }), ...figures };
  return [[slice, slice, slice]];
}

function outcomes(load: string, lanes: Readonly<Record<string, Partial<Slice>>>, rounds = 3): string[] {
  const cut = (pages: ReturnType<typeof slices>) => pages.map((page) => page.slice(0, rounds));
  const byLane = new Map(Object.entries(lanes).map(([lane, figures]) => [lane, cut(slices(figures))]));
  return standingsOf({ ...CELL, load }, byLane, seededRandom(1)).map(
    ({ lane, what, peer, outcome }) => `${lane}: ${what} against ${peer}: ${outcome}`,
  );
}

describe("the lanes of a visit", () => {
  it("are framebatch without options and the ways that the page offers", () => {
    expect(lanesOf({ backend: "wasm", site: "ordinary" }, "first")).toEqual(["default", "wasm-1"]);
    expect(lanesOf({ backend: "webgpu", site: "isolated" }, "second")).toEqual([
      "default-again",
      "wasm-1",
      "wasm-2",
      "webgpu",
    ]);
  });

  it("are measured for every model, on every site, in every kind of browser", () => {
    expect(cellsOf(["a", "b"], ["wasm", "webgpu"], ["ordinary", "isolated"])).toHaveLength(8);
    expect(cellsOf(["a"], ["webgpu"], ["ordinary"])).toEqual([{ model: "a", backend: "webgpu", site: "ordinary" }]);
  });
});

describe("the race of the lanes", () => {
  it("leaves out a lane whose first answer comes far later than the soonest one", () => {
    const answers = new Map([
      ["default", [answer(120), answer(400)]],
      ["wasm-1", [answer(100)]],
      ["webgpu", [answer(301)]],
    ]);
    expect(mayBeSoonest(answers)).toEqual(["default", "wasm-1"]);
  });

  it("keeps a way under load whose first answer is late but whose calls are not far slower", () => {
    const answers = new Map([
      ["wasm-1", [answer(100, 1)]],
      ["webgpu", [answer(9000, 20)]],
      ["wasm-2", [answer(100, 21)]],
      ["failed", []],
    ]);
    expect(mayBeBest(answers)).toEqual(["wasm-1", "webgpu"]);
  });
});

describe("first answers", () => {
  it("are asked of each lane in each round, and once of a lane that fails or is far later", async () => {
    const asked: string[] = [];
    const times: Readonly<Record<string, number>> = { default: 100, "wasm-1": 120, webgpu: 900 };
    const ask = (lane: string) => {
      asked.push(lane);
      const firstMs = times[lane];
      return firstMs === undefined ? Promise.reject(new Error("no adapter")) : Promise.resolve(answer(firstMs));
    };
    const lanes = ["default", "wasm-1", "webgpu", "gone"];
    const { answers, failures } = await collectFirstAnswers(lanes, 3, seededRandom(1), ask);
    const counts = lanes.map((lane) => asked.filter((each) => each === lane).length);
    expect(counts).toEqual([3, 3, 1, 1]);
    expect([...answers.keys()]).toEqual(["default", "wasm-1", "webgpu"]);
    expect([...failures]).toEqual([["gone", "no adapter"]]);
  });

  it("are compared as figures of slices", () => {
    expect(sliceOf(answer(250)).firstAnswerMs).toBe(250);
    const lanes = { default: sliceOf(answer(500)), "wasm-1": sliceOf(answer(400)), "wasm-2": sliceOf(answer(450)) };
    expect(outcomes("first-answer", lanes)).toEqual(["default: first answer against wasm-1: lost"]);
  });
});

describe("the rounds of a visit that measures", () => {
  it("pair each slice of the list with the one before it, over the whole visit", () => {
    const measuring = ["m0", "m1", "m2", "m3", "m4", "m5", "m6", "m7", "m8", "m9"];
    expect(inRounds(measuring, ["l0", "l1"], 4)).toEqual([
      ["m3", "l0"],
      ["m7", "l1"],
    ]);
    expect(inRounds(measuring.slice(0, 3), [], 4)).toEqual([]);
  });
});

describe("the promises of the default way to run", () => {
  it("compare each visit with the best way by hand", () => {
    const lanes = {
      default: { throughputPerSec: 92, meanMs: 10 },
      "default-again": { throughputPerSec: 92, meanMs: 10 },
      "wasm-1": { throughputPerSec: 50, meanMs: 20 },
      "wasm-2": { throughputPerSec: 100, meanMs: 9 },
    };
    expect(outcomes("closed-8", lanes)).toEqual([
      "default: first visit against wasm-2: won",
      "default-again: second visit against wasm-2: lost",
    ]);
  });

  it("bound the latencies and dropped frames while ways are measured, also where no frame is dropped without", () => {
    const lanes = (dropped: number) => ({
      default: { p99Ms: 12, droppedFramesPerSec: dropped },
      "wasm-1": { p99Ms: 10, droppedFramesPerSec: 0 },
    });
    const frames = "default: dropped frames while ways are measured against wasm-1";
    expect(outcomes("trial-8", lanes(0))).toEqual([
      "default: p99 while ways are measured against wasm-1: lost",
      `${frames}: won`,
    ]);
    expect(outcomes("trial-8", lanes(5))).toContain(`${frames}: lost`);
  });

  it("cannot be told from a single round", () => {
    const lanes = { default: { p99Ms: 90, droppedFramesPerSec: 9 }, "wasm-1": { p99Ms: 10, droppedFramesPerSec: 0 } };
    expect(outcomes("trial-8", lanes, 1)).toEqual([
      "default: p99 while ways are measured against wasm-1: cannot tell",
      "default: dropped frames while ways are measured against wasm-1: cannot tell",
    ]);
  });

  it("cannot be told from many rounds of which the other lane has two", () => {
    const byLane = new Map([
      ["default", slices({ p99Ms: 90 })],
      ["wasm-1", slices({ p99Ms: 10 }).map((page) => page.slice(0, 2))],
    ]);
    const [standing] = standingsOf({ ...CELL, load: "trial-8" }, byLane, seededRandom(1));
    expect(standing).toMatchObject({ outcome: "cannot tell", ratio: { value: 9 } });
  });

  it("are counted by outcome", () => {
    const byLane = new Map([
      ["default", slices({ throughputPerSec: 100 })],
      ["wasm-1", slices({ throughputPerSec: 100 })],
    ]);
    expect(summaryOf(standingsOf({ ...CELL, load: "closed-1" }, byLane, seededRandom(1)))).toContain(
      "all: 1 cells, 1 kept, 0 broken, 0 cannot be told, 0 cannot feel; by the median alone 0 broken",
    );
  });
});
