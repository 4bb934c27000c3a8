import path from "node:path";
import { expect, it } from "vitest";
import {
  countPlaywright,
  countVitest,
  NOTHING,
  outcomesInPlaywright,
  outcomesInVitest,
  unsteadyTests,
} from "./test-counts.mjs";

it("counts a file that cannot be loaded, or whose hook fails, as one failure", () => {
  const report = vitestReport({ "a.test.ts": {}, "b.test.ts": { waits: "skipped" }, "c.test.ts": { adds: "failed" } });
  expect(countVitest(report)).toEqual({ ...NOTHING, failed: 3, skipped: 1 });
});

it("counts what a browser test throws outside any test as a failure", () => {
  const report = playwrightReport({ loads: "unexpected", predicts: "expected" }, [new Error("no browser")]);
  expect(countPlaywright(report)).toEqual({ ...NOTHING, passed: 1, failed: 2 });
});

it("names as unsteady what failed and then passed, and nothing else", () => {
  const first = vitestReport({
    "a.test.ts": { adds: "failed", waits: "failed", sorts: "passed", later: "skipped" },
    "b.test.ts": {},
  });
  const second = vitestReport({
    "a.test.ts": { adds: "passed", waits: "failed", sorts: "passed", later: "passed" },
    "b.test.ts": { loads: "passed" },
  });
  expect(unsteadyTests(outcomesInVitest(first), outcomesInVitest(second))).toEqual(["a.test.ts: adds", "b.test.ts"]);
});

it("keeps a failure that the second run did not reach", () => {
  const first = outcomesInVitest(vitestReport({ "a.test.ts": { adds: "failed" } }));
  expect(unsteadyTests(first, outcomesInVitest(undefined))).toEqual([]);
  expect(unsteadyTests(first, outcomesInVitest(vitestReport({ "a.test.ts": { adds: "skipped" } })))).toEqual([]);
});

it("tells the projects of a browser test apart", () => {
  const first = outcomesInPlaywright(playwrightReport({ loads: "unexpected" }));
  const second = outcomesInPlaywright(playwrightReport({ loads: "expected" }));
  expect(unsteadyTests(first, second)).toEqual(["[wasm] pages.spec.ts:7: loads"]);
  const other = outcomesInPlaywright(playwrightReport({ loads: "expected" }, [], "webgpu"));
  expect(unsteadyTests(first, other)).toEqual([]);
});

/** @param {Record<string, Record<string, string>>} files the outcome of each test. A file without tests cannot be loaded. */
function vitestReport(files) {
  const statuses = Object.values(files).flatMap((tests) => Object.values(tests));
  const count = (/** @type {string} */ status) => statuses.filter((each) => each === status).length;
  return {
    numPassedTests: count("passed"),
    numFailedTests: count("failed"),
    numPendingTests: count("skipped"),
    numTodoTests: 0,
    testResults: Object.entries(files).map(([file, tests]) => ({
      name: path.resolve(file),
      status: Object.values(tests).includes("passed") && !Object.values(tests).includes("failed") ? "passed" : "failed",
      assertionResults: Object.entries(tests).map(([fullName, status]) => ({ fullName, status })),
    })),
  };
}

/**
 * @param {Record<string, string>} statuses of each test
 * @param {readonly unknown[]} [errors]
 * @param {string} [projectName]
 */
function playwrightReport(statuses, errors = [], projectName = "wasm") {
  const count = (/** @type {string} */ status) => Object.values(statuses).filter((each) => each === status).length;
  const specs = Object.entries(statuses).map(([title, status]) => ({
    title,
    file: "pages.spec.ts",
    line: 7,
    tests: [{ projectName, status, results: [] }],
  }));
  return {
    stats: { expected: count("expected"), flaky: 0, unexpected: count("unexpected"), skipped: 0 },
    // Playwright nests the tests of a file in a suite.
    suites: [{ specs: [], suites: [{ specs }] }],
    errors,
  };
}
