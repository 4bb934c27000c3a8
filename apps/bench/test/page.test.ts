import { describe, expect, it } from "vitest";
import { crowdsOf, pageSection, pageSentence } from "../runner/page/figures.js";
import type { PageSlice } from "../runner/page/page-slice.js";
import { drawWidgets } from "../runner/page/picture.js";
import { ALL, LANES, loadsOf, QUICK } from "../runner/page/plan.js";
import { reportOf, type MeasuredSlice } from "../runner/page/report.js";
import { pageMarkdown } from "../runner/page/tables.js";
import { drivenSlice } from "../src/run/slice.js";

const GROUP = { model: "mlp-tiny", backend: "wasm", site: "ordinary", load: "widgets-16" } as const;

/** From 1 to 100 ms: p75 is 75.25 ms, p98 98.02 ms. */
const TO_100 = Array.from({ length: 100 }, (_, index) => index + 1);

function slice(figures: Partial<PageSlice>): PageSlice {
  const driven = drivenSlice({ predictions: 100, elapsedMs: 100, batchSize: 1 });
  return { ...driven, p99Ms: 5, meanMs: 2, longestTaskMs: 0, keyDelaysMs: TO_100, memoryBytes: 1e8, ...figures };
}

/** One slice on each of three pages of each lane. */
function measured(lanes: Readonly<Record<string, Partial<PageSlice>>>): MeasuredSlice[] {
  return [0, 1, 2].flatMap((turn) =>
    Object.entries(lanes).map(([lane, figures]) => ({
      cell: { ...GROUP, lane },
      turn,
      timerResolutionMs: 0.1,
      slice: slice(figures),
    })),
  );
}

function report(slices: readonly MeasuredSlice[]) {
  const machine = { cpu: "cpu", cores: 2, memoryGb: 1, os: "os", node: "20" };
  return reportOf(slices, { date: "today", command: "run", seed: 1, machine, browser: "Chromium", gaps: [] });
}

function outcome(what: string, lanes: Parameters<typeof measured>[0]): string | undefined {
  const standing = report(measured(lanes)).standings.find((each) => each.what === what);
  return standing && `${standing.outcome} against ${standing.peer}`;
}

describe("the figures of a page", () => {
  it("take the quantiles over the keystrokes of all pages", () => {
    const [row] = report([
      {
        cell: { ...GROUP, lane: "frame" },
        turn: 0,
        timerResolutionMs: 0.1,
        slice: slice({ keyDelaysMs: TO_100.slice(0, 50) }),
      },
      {
        cell: { ...GROUP, lane: "frame" },
        turn: 1,
        timerResolutionMs: 0.1,
        slice: slice({ keyDelaysMs: TO_100.slice(50) }),
      },
    ]).rows;
    expect(row).toMatchObject({ keystrokes: 100, keyP75Ms: { value: 75.25 }, keyP98Ms: { value: 98.02 } });
    expect(row?.keyP98Ms.interval.low).toBeLessThanOrEqual(50);
  });

  it("name the longest task of all pages, and the memory if the system tells", () => {
    const slices = measured({ frame: { memoryBytes: Number.NaN } });
    const [last] = slices.slice(-1);
    const { rows } = report([
      ...slices.slice(0, -1),
      { ...last!, slice: slice({ longestTaskMs: 120, memoryBytes: Number.NaN }) },
    ]);
    expect(rows).toMatchObject([{ longestTaskMs: 120, memoryBytes: null, pages: 3 }]);
    expect(report(measured({ frame: {} })).rows).toMatchObject([{ memoryBytes: { value: 1e8 } }]);
  });

  it("are printed with one row for each lane", () => {
    const text = pageMarkdown(report(measured({ frame: {}, "ort-main": { longestTaskMs: 90 } })));
    expect(text).toContain("| widgets-16 | frame | 1,000 (1,000 to 1,000) | 5.00 |");
    expect(text).toContain("| < 50 | 100 |");
    expect(text).toContain("| 90.0 | 100 |");
  });
});

describe("the judge of a page", () => {
  it("compares keystrokes with the best lane, over all keystrokes and not over pages", () => {
    const late = { keyDelaysMs: TO_100.map((ms) => 2 * ms) };
    expect(outcome("keystroke p98", { frame: late, off: late, "ort-main": {} })).toBe("lost against ort-main");
    expect(outcome("keystroke p98", { frame: {}, off: late })).toBe("won against off");
  });

  it("does not count what no user feels: a twentieth of a frame, half a millisecond of an answer", () => {
    const near = (ms: number) => ({ keyDelaysMs: [ms - 0.5, ms, ms + 0.5] });
    expect(outcome("keystroke p75", { frame: near(4.05), off: near(4) })).toBe("cannot feel against off");
    expect(outcome("keystroke p75", { frame: near(9), off: near(4) })).toBe("lost against off");
    const answers = [1.8, 2.3, 2.4].map((p99Ms) => slice({ p99Ms }));
    const slices = measured({ frame: {}, off: { p99Ms: 2 } }).map((each) =>
      each.cell.lane === "frame" ? { ...each, slice: answers[each.turn]! } : each,
    );
    expect(report(slices).standings.find(({ what }) => what === "p99 of answers")?.outcome).toBe("cannot feel");
  });

  it("compares answers, frames to paint and dropped frames too", () => {
    const busy = { throughputPerSec: 500, meanMs: 9, framesToPaint: 2, droppedFramesPerSec: 9, p99Ms: 20 };
    const words = report(measured({ frame: busy, off: { framesToPaint: 1 } })).standings.map(
      ({ what, outcome: word }) => `${what}: ${word}`,
    );
    expect(words).toEqual([
      "keystroke p75: cannot tell",
      "keystroke p98: won",
      "dropped frames: lost",
      "frames to paint: lost",
      "answers a second: lost",
      "p99 of answers: lost",
    ]);
  });
});

describe("the figures of the documentation", () => {
  const load = "widgets-256";
  const crowd = measured({ "hand-written": { throughputPerSec: 1500 }, frame: {}, off: { throughputPerSec: 800 } });
  const withLoad = (name: string, slices: readonly MeasuredSlice[]) =>
    report(slices.map((each) => ({ ...each, cell: { ...each.cell, load: name } })));
  const reports = [withLoad(load, crowd)];

  it("say what framebatch gains over the ways that run one by one, that batch, and that block the page", () => {
    const crowded = measured({
      frame: {},
      off: { throughputPerSec: 800 },
      "ort-main": { throughputPerSec: 1250, keyDelaysMs: [200] },
      dataloader: { throughputPerSec: 500 },
      "hand-written": { throughputPerSec: 1500 },
    });
    const sentence = pageSentence([
      withLoad(load, crowded),
      withLoad("widgets-16", measured({ frame: {}, off: { throughputPerSec: 2000 } })),
      withLoad("widgets-64", measured({ frame: {}, off: { throughputPerSec: 10 } })),
    ]);
    expect(sentence).toContain(
      "1.25 to 1.25 times as many calls as a worker that runs them one by one, 0.667 to 2.00 times",
    );
    expect(sentence).toContain("0.800 to 0.800 times as many as onnxruntime-web on the page's own thread");
    expect(sentence).toContain("a keystroke takes up to 200 ms (p98)");
    expect(sentence).toContain("with framebatch, up to 98.0 ms");
    expect(sentence).toContain("Of 16 widgets or fewer there is nothing to gain: 0.500 to 0.500 times as many.");
  });

  it("are those of ordinary sites, which most pages are, in the order of the lanes", () => {
    const [crowdOf] = crowdsOf(reports);
    expect(crowdOf?.rows.map(({ lane }) => lane)).toEqual(["frame", "off", "hand-written"]);
    const isolated = crowd.map((each) => ({ ...each, cell: { ...each.cell, load, site: "isolated" as const } }));
    expect(crowdsOf([report(isolated)])).toEqual([]);
  });

  it("have a line for each lane, and count the promises", () => {
    const text = pageSection(reports);
    expect(text).toContain("| mlp-tiny | framebatch | – | 1,000 | – | 5.00 |");
    expect(text).toContain("| Kept, broken, undecided | mlp-tiny |");
    expect(text).toContain("| answers a second | 0/1/0 |");
    expect(text).toMatch(/\| all \| \d\/\d\/\d \|\n\| broken by the median alone \| \d \|$/);
  });

  it("are drawn with the longest bar for the most answers", () => {
    const widths = [...drawWidgets(reports).matchAll(/width="([\d.]+)" height="14" class="(\w+)"/g)];
    expect(widths.map(([, width, lane]) => `${lane} ${Number(width).toFixed(0)}`)).toEqual([
      "ours 56",
      "theirs 45",
      "theirs 84",
    ]);
  });
});

describe("the plan of a page", () => {
  it("has each number of widgets, and on request also widgets that call again at once", () => {
    expect(loadsOf(QUICK, "")).toEqual(["widgets-1", "widgets-4", "widgets-16", "widgets-64", "widgets-256"]);
    expect(loadsOf(QUICK, "closed-6")).toEqual(["closed-64"]);
    expect(loadsOf(ALL, "")).toHaveLength(10);
    expect(LANES[0]).toBe("frame");
  });
});
