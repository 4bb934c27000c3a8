import path from "node:path";
import process from "node:process";

/**
 * @typedef {{ passed: number, failed: number, unsteady: number, skipped: number }} Counts `unsteady` tests failed, and
 *   passed when they ran once more, alone.
 */

/**
 * @typedef {object} VitestReport The fields that this file reads.
 * @property {readonly VitestFile[]} testResults
 * @property {number} numPassedTests
 * @property {number} numFailedTests
 * @property {number} numPendingTests
 * @property {number} numTodoTests
 */

/**
 * @typedef {object} VitestFile
 * @property {string} name its path
 * @property {string} status
 * @property {readonly { fullName: string, status: string, duration?: number }[]} assertionResults
 */

/**
 * @typedef {object} PlaywrightReport The fields that this file reads.
 * @property {{ expected: number, flaky: number, unexpected: number, skipped: number }} stats
 * @property {readonly PlaywrightSuite[]} suites
 * @property {readonly unknown[]} errors those outside any test
 */

/**
 * @typedef {object} PlaywrightSuite
 * @property {readonly PlaywrightSuite[]} [suites]
 * @property {readonly PlaywrightSpec[]} specs
 */

/**
 * @typedef {object} PlaywrightSpec
 * @property {string} title
 * @property {string} file
 * @property {number} line
 * @property {readonly { projectName: string, status: string, results: readonly { duration: number }[] }[]} tests
 */

/**
 * @typedef {object} Outcome
 * @property {string} name
 * @property {boolean} isPassed
 * @property {boolean} isFailed neither, if the test was skipped
 */

/** @type {Counts} */
export const NOTHING = { passed: 0, failed: 0, unsteady: 0, skipped: 0 };

/**
 * @param {VitestReport | undefined} report Vitest's JSON report, or `undefined` if there is none
 * @returns {Counts}
 */
export function countVitest(report) {
  if (report === undefined) return NOTHING;
  return {
    ...NOTHING,
    passed: report.numPassedTests,
    failed: report.numFailedTests + report.testResults.filter(isBroken).length,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

/**
 * A file that cannot be loaded has no tests, and one whose hook fails no failed test. Each counts as a failure.
 *
 * @param {VitestFile} file
 */
function isBroken({ status, assertionResults }) {
  return status === "failed" && !assertionResults.some((test) => test.status === "failed");
}

/**
 * @param {VitestReport | undefined} report
 * @returns {Outcome[]} those of all tests and files
 */
export function outcomesInVitest(report) {
  return (report?.testResults ?? []).flatMap((file) => {
    const name = path.relative(process.cwd(), file.name);
    return [
      { name, isPassed: file.status === "passed", isFailed: isBroken(file) },
      ...file.assertionResults.map(({ fullName, status }) => ({
        name: `${name}: ${fullName}`,
        isPassed: status === "passed",
        isFailed: status === "failed",
      })),
    ];
  });
}

/**
 * @param {PlaywrightReport | undefined} report Playwright's JSON report, or `undefined` if there is none
 * @returns {Counts}
 */
export function countPlaywright(report) {
  if (report === undefined) return NOTHING;
  const { expected, flaky, unexpected, skipped } = report.stats;
  return { ...NOTHING, passed: expected + flaky, failed: unexpected + report.errors.length, skipped };
}

/**
 * @param {PlaywrightReport | undefined} report
 * @returns {Outcome[]} those of all tests
 */
export function outcomesInPlaywright(report) {
  return (report?.suites ?? []).flatMap(outcomesIn);
}

/**
 * @param {PlaywrightSuite} suite
 * @returns {Outcome[]}
 */
function outcomesIn({ suites = [], specs }) {
  const own = specs.flatMap(({ file, line, title, tests }) =>
    tests.map(({ projectName, status }) => ({
      name: `[${projectName}] ${file}:${line}: ${title}`,
      isPassed: status === "expected",
      isFailed: status === "unexpected",
    })),
  );
  return [...own, ...suites.flatMap(outcomesIn)];
}

/**
 * Returns the names of the tests that failed, and passed when they ran once more.
 *
 * @param {readonly Outcome[]} first
 * @param {readonly Outcome[]} second
 */
export function unsteadyTests(first, second) {
  const passed = new Set(second.filter(({ isPassed }) => isPassed).map(({ name }) => name));
  // Two tests may have the same name.
  for (const { name, isFailed } of second) if (isFailed) passed.delete(name);
  return first.filter(({ name, isFailed }) => isFailed && passed.has(name)).map(({ name }) => name);
}

/**
 * Returns one line for each of the slowest tests.
 *
 * @param {VitestReport | undefined} vitest
 * @param {PlaywrightReport | undefined} playwright
 * @param {number} count
 */
export function slowestTests(vitest, playwright, count) {
  const units = (vitest?.testResults ?? []).flatMap(({ assertionResults }) =>
    assertionResults.map(({ fullName, duration = 0 }) => ({ name: fullName, ms: duration })),
  );
  return [...units, ...(playwright?.suites ?? []).flatMap(timesIn)]
    .toSorted((a, b) => b.ms - a.ms)
    .slice(0, count)
    .map(({ name, ms }) => `${(ms / 1000).toFixed(1).padStart(6)} s  ${name}`)
    .join("\n");
}

/**
 * @param {PlaywrightSuite} suite
 * @returns {{ name: string, ms: number }[]}
 */
function timesIn({ suites = [], specs }) {
  const own = specs.flatMap(({ title, tests }) =>
    tests.map(({ projectName, results }) => ({ name: `[${projectName}] ${title}`, ms: results.at(-1)?.duration ?? 0 })),
  );
  return [...own, ...suites.flatMap(timesIn)];
}
