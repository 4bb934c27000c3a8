import { describe, expect, it } from "vitest";
import { assemble, isComplete, type Measured } from "../runner/assemble.js";
import type { PageRun } from "../runner/visits/browser.js";
import { measureFirstPredictions, type Starts } from "../runner/visits/first-predictions.js";
import { toHtml } from "../runner/print/html.js";
import { toMarkdown } from "../runner/print/markdown.js";
import { failuresOf, problemOfAdapter } from "../runner/visits/problem.js";
import type { Backend, Gap, PageReport } from "../src/results.js";
import { drivenSlice } from "../src/run/slice.js";

const NO_STARTS: Starts = { rows: [], problems: [] };
const FACTS = { date: "today", machine: { cpu: "", cores: 1, memoryGb: 1, os: "", node: "" } };
const CELL = { model: "digits", backend: "wasm", site: "isolated", load: "closed-4" } as const;

function gap(lane: string, reason: string): Gap {
  return { ...CELL, lane, reason };
}

/** A page on which these lanes were measured, and others not. */
function page(lanes: readonly string[], gaps: readonly Gap[] = []): PageRun {
  const facts = { timerResolutionMs: 0.005, framePeriodMs: 16.7, callerUsPerPrediction: 1 };
  const slice = drivenSlice({ predictions: 100, elapsedMs: 1000, batchSize: 1 });
  const report: PageReport = {
    backend: "wasm",
    adapter: null,
    page: { crossOriginIsolated: true, ...facts },
    groups: [{ name: CELL, slices: lanes.map((lane) => [lane, [slice]]) }],
    curves: [],
    memory: [],
    micro: [],
    gaps,
  };
  return { browser: "Chromium", flags: [], report, problem: null };
}

function failed(isAbsence: boolean): PageRun {
  return { browser: "Chromium", flags: [], report: null, problem: { message: "broken", isAbsence } };
}

function asked(...backends: readonly Backend[]) {
  return { command: "run", seed: 1, only: "digits", backends };
}

function of(...pages: readonly PageRun[]): Measured[] {
  return [{ pages, starts: NO_STARTS }];
}

describe("the gaps of a report", () => {
  it("are those of all pages, without cells that one of them has measured", () => {
    const measured = of(
      page(["frame"], [gap("off", "no time left"), gap("pacer", "no time left")]),
      page(["frame", "off"], [gap("pacer", "broken"), gap("limit", "broken")]),
    );
    expect(assemble(asked("wasm"), FACTS, measured).gaps).toEqual([
      gap("pacer", "no time left"),
      gap("limit", "broken"),
    ]);
  });
});

describe("a run", () => {
  it("is complete if every page has a report, or if one of two backends is missing", () => {
    expect(isComplete(asked("wasm"), of(page(["frame"])))).toBe(true);
    expect(isComplete(asked("wasm", "webgpu"), of(page(["frame"]), failed(true)))).toBe(true);
    expect(isComplete(asked("webgpu"), of(failed(true)))).toBe(false);
    expect(isComplete(asked("wasm", "webgpu"), of(page(["frame"]), failed(false)))).toBe(false);
  });

  it("is not complete if nothing was measured, and says so", () => {
    expect(isComplete(asked("wasm"), of(page([])))).toBe(false);
    expect(assemble(asked("wasm"), FACTS, of(page([]))).problems).toEqual([
      'Nothing was measured: does the name of a cell contain "digits"?',
    ]);
    expect(assemble(asked("wasm"), FACTS, of(page([], [gap("off", "broken")]))).problems).toEqual([
      'Nothing was measured: the reasons are under "Not measured"',
    ]);
  });

  it("keeps what it has if a visit for the first prediction fails", async () => {
    const visitTwice = ({ model }: { readonly model: string }) =>
      model === "digits"
        ? Promise.reject(new Error("crashed"))
        : Promise.resolve([
            { ms: 1, bytes: 1 },
            { ms: 1, bytes: 0 },
          ] as const);
    const request = { backend: "wasm", models: ["digits", "mlp-tiny"], samples: 1, seed: 1, say: () => {} } as const;
    const starts = await measureFirstPredictions({ ...request, visitTwice });
    expect(starts.rows.map(({ model }) => model)).toEqual(Array.from({ length: 4 }, () => "mlp-tiny"));
    expect(starts.problems).toEqual(["wasm: the first predictions of digits failed: Error: crashed"]);
    const measured = [{ pages: [page(["frame"])], starts }];
    expect(assemble(asked("wasm"), FACTS, measured).problems).toEqual(starts.problems);
    expect(isComplete(asked("wasm"), measured)).toBe(false);
  });
});

describe("the problems of pages", () => {
  it("are failures, once each, except a backend that is missing beside another", () => {
    const problems = [true, false, false].map((isAbsence) => ({ message: isAbsence ? "none" : "broken", isAbsence }));
    expect(failuresOf(problems, false)).toEqual(["broken"]);
    expect(failuresOf(problems, true)).toEqual(["none", "broken"]);
  });
});

describe("an adapter", () => {
  it("is missing, or rejected in software if a GPU in hardware is asked for", () => {
    expect(problemOfAdapter(null, false)?.isAbsence).toBe(true);
    const software = { name: "swiftshader", isSoftware: true };
    expect(problemOfAdapter(software, true)?.message).toContain("(swiftshader) is a software one");
    expect(problemOfAdapter(software, false)).toBeNull();
    expect(problemOfAdapter({ name: "a GPU", isSoftware: false }, true)).toBeNull();
  });
});

describe("a report with errors of the browser", () => {
  const measured = of(page(["frame"], [gap("off", "<b>a | b</b>\nCall log:")]), {
    ...failed(false),
    problem: { message: "Timeout.\n\nCall log:\n  - waiting", isAbsence: false },
  });
  const report = assemble(asked("wasm"), FACTS, measured);

  it("keeps each in its cell or paragraph", () => {
    expect(toMarkdown(report)).toContain("| <b>a \\| b</b> Call log: | off |");
    expect(toMarkdown(report)).toContain("**Timeout. Call log: - waiting**");
  });

  it("shows them as text in the page", async () => {
    const html = await toHtml(report);
    expect(html).toContain("<td>&lt;b&gt;a | b&lt;/b&gt; Call log:</td><td>off</td>");
    expect(html).toContain("<p><strong>Timeout. Call log: - waiting</strong></p>");
  });
});
