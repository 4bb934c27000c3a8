import { expect, test } from "vitest";
import { comparisonReport } from "../src/evidence/report.js";
import { decide } from "../src/measure/outcome.js";
import { comparisonOf } from "./support/comparisons.js";

test("a report is plain data with a verdict and without individual latencies", () => {
  const comparison = comparisonOf({ rates: [200, 210] }, { rates: [100, 100] });
  const measured = {
    comparison,
    verdict: decide(comparison),
    setup: { model: null, items: null, settings: "" },
    conditions: { model: "m.onnx", release: "frame", pressureMs: 0, provider: "wasm", adapter: null, cores: 2 },
    options: {},
    atIso: "2026-01-01T00:00:00Z",
    link: "/",
    snippet: "",
  } as const;
  const report = JSON.parse(JSON.stringify(comparisonReport(measured, "a browser")));
  expect(report).toMatchObject({
    version: 3,
    conditions: { model: "m.onnx" },
    verdict: { answer: "yes", batching: true, sentence: expect.stringContaining("Batching serves") },
    load: { callers: 64, pace: "continuous" },
    gains: { throughput: { factor: { value: expect.closeTo(2.05, 1) } } },
    lanes: { single: { waits: { count: 1, p50: { ms: 9, isAtLeast: false } } } },
  });
  expect(report.lanes.batched.waits).not.toHaveProperty("ended");
});
