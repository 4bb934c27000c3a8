/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */

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
 * @property {string} status
 * @property {readonly { fullName: string, duration?: number }[]} assertionResults
 */

/**
 * @typedef {object} PlaywrightReport The fields that this file reads.
 * @property {{ expected: number, flaky: number, unexpected: number, skipped: number }} stats
 * @property {readonly PlaywrightSuite[]} suites
 */

/**
 * @typedef {object} PlaywrightSuite
 * @property {readonly PlaywrightSuite[]} [suites]
 * @property {readonly PlaywrightSpec[]} specs
 */

/**
 * @typedef {object} PlaywrightSpec
 * @property {string} title
 * @property {readonly { projectName: string, results: readonly { duration: number }[] }[]} tests
 */

/** @type {Counts} */
export const NOTHING = { passed: 0, failed: 0, skipped: 0 };

/**
 * @param {VitestReport | undefined} report Vitest's JSON report, or `undefined` if there is none
 * @returns {Counts}
 */
export function countVitest(report) {
  if (report === undefined) return NOTHING;
  // A file that cannot be loaded has no tests, but counts as a failure.
  const broken = report.testResults.filter((file) => file.status === "failed" && file.assertionResults.length === 0);
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + broken.length,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

/**
 * @param {PlaywrightReport | undefined} report Playwright's JSON report, or `undefined` if there is none
 * @returns {Counts}
 */
export function countPlaywright(report) {
  if (report === undefined) return NOTHING;
  const { expected, flaky, unexpected, skipped } = report.stats;
  return { passed: expected + flaky, failed: unexpected, skipped };
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
