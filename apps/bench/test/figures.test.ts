import { describe, expect, it } from "vitest";
import { figuresOf, strayFigures } from "../runner/print/figures.js";
import type { Report } from "../runner/results/report.js";
import type { Backend, Ratio } from "../src/results.js";

function ratio(backend: Backend, load: string, value: number): Ratio {
  const estimate = { value, interval: { low: value - 0.5, high: value + 0.5 } };
  const cell = {
    model: "mlp-tiny",
    backend,
    site: "isolated" as const,
    load,
    lane: "frame",
    adapter: null,
    over: "off",
  };
  return { ...cell, throughput: estimate, p50: estimate, p99: null, firstAnswer: null, pages: 1, rounds: 5 };
}

const PAGE = { crossOriginIsolated: true, timerResolutionMs: 0.005, framePeriodMs: 16.7, callerUsPerPrediction: 0.2 };
const REPORT: Pick<Report, "command" | "date" | "machine" | "runs" | "ratios"> = {
  command: "npm run bench",
  date: "2026-01-02T03:04:05.678Z",
  machine: { cpu: "A CPU", cores: 2, memoryGb: 24, os: "An OS", node: "v20" },
  runs: [
    { backend: "wasm", site: "isolated", pages: 1, browser: "Chromium 1", flags: [], adapter: null, page: PAGE },
    { backend: "webgpu", site: "isolated", pages: 1, browser: "Chromium 1", flags: [], adapter: "a GPU", page: PAGE },
  ],
  ratios: [
    ratio("wasm", "closed-256", 11.4),
    ratio("wasm", "closed-1", 1.02),
    { ...ratio("wasm", "closed-256", 99), lane: "idle" },
    { ...ratio("wasm", "closed-256", 98), over: "limit" },
  ],
};

describe("the figures of README.md", () => {
  it("are the ratios of the results, with their intervals and their source", () => {
    expect(figuresOf(REPORT).split("\n")).toEqual([
      "| Model | WASM: answers of 256 callers | WASM: p50 of a lone caller | WebGPU (a GPU): answers of 256 callers | WebGPU (a GPU): p50 of a lone caller |",
      "| --- | --- | --- | --- | --- |",
      "| mlp-tiny | 11.4× (10.9 to 11.9) | 1.02× (0.520 to 1.52) | – | – |",
      "",
      "`npm run bench` on 2026-01-02: A CPU, 2 cores, 24 GB, An OS, Chromium 1.",
    ]);
  });

  it("are none of a GPU in software", () => {
    const [wasm, webgpu] = REPORT.runs.map((run) => ({ ...run, adapter: run.adapter && "google swiftshader" }));
    expect(figuresOf({ ...REPORT, runs: [wasm!, webgpu!] })).toContain(
      "| mlp-tiny | 11.4× (10.9 to 11.9) | 1.02× (0.520 to 1.52) |\n",
    );
  });

  it("have no interval if too few rounds are behind them", () => {
    const ratios = [{ ...ratio("wasm", "closed-256", 11.4), rounds: 2 }];
    expect(figuresOf({ ...REPORT, ratios })).toContain("| mlp-tiny | 11.4× (too few rounds) | – |");
  });

  it("are distinguished from other numbers in a text", () => {
    const text =
      "It serves 11 times as many, 374,000/s, at 2 µs a call and 3.5× the rate: 12 ms per batch, 20 % faster.";
    expect(strayFigures(text)).toEqual(["11 times as", "374,000/s", "2 µs a", "3.5×", "12 ms per", "20 % faster"]);
    expect(strayFigures("Node 20.19, images of 3×64×64, 10 ms, 1.5 kB, n times as much, 95 % intervals")).toEqual([]);
  });
});
