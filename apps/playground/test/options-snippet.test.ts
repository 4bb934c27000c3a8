import { expect, test } from "vitest";
import { comparisonReport } from "../src/comparison/report.js";
import { optionsSnippet } from "../src/comparison/options-snippet.js";
import { comparisonOf } from "./support/comparisons.js";

const IMPORT = 'import { createBatchedModel } from "framebatch";\n\n';

test("the snippet has no options if the defaults are faster", () => {
  expect(optionsSnippet("/m.onnx", {}, "pays")).toBe(`${IMPORT}const model = await createBatchedModel("/m.onnx");\n`);
});

test("the snippet contains the measured options", () => {
  expect(optionsSnippet("/m.onnx", { executionProviders: ["wasm"], maxBatchSize: 8 }, "pays")).toBe(
    `${IMPORT}const model = await createBatchedModel("/m.onnx", {\n  executionProviders: [\n    "wasm"\n  ],\n  maxBatchSize: 8\n});\n`,
  );
});

test("the snippet contains the options of a model with handlers", () => {
  const own = ["worker: startReader", "shapeOf: shapeOfLine"];
  const call = `${IMPORT}const model = await createBatchedModel("/m.onnx", {\n  worker: startReader,\n  shapeOf: shapeOfLine,\n`;
  expect(optionsSnippet("/m.onnx", {}, "pays", own)).toBe(`${call}});\n`);
  expect(optionsSnippet("/m.onnx", {}, "loses", own)).toBe(`${call}  batching: false\n});\n`);
});

test("the snippet turns batching off and omits its options if batching is slower", () => {
  const options = { batching: { release: "idle" }, maxBatchSize: 8 } as const;
  expect(optionsSnippet("/m.onnx", options, "loses")).toBe(
    `${IMPORT}const model = await createBatchedModel("/m.onnx", {\n  batching: false\n});\n`,
  );
});

test("a report is plain data with a verdict and without individual latencies", () => {
  const comparison = comparisonOf({ rates: [200, 210], waitMs: 5 }, { rates: [100, 100], waitMs: 9 });
  const context = { atIso: "2026-01-01T00:00:00Z", page: "/", userAgent: "a browser", cores: 2, model: "/m.onnx" };
  const report = JSON.parse(JSON.stringify(comparisonReport(comparison, { ...context, options: {} })));
  expect(report).toMatchObject({
    version: 1,
    verdict: { finding: "pays" },
    load: { callers: 64, pace: "continuous" },
    lanes: { single: { waits: { count: 1, p50: { ms: 9, isAtLeast: false } } } },
  });
  expect(report.lanes.batched.waits).not.toHaveProperty("ended");
});
