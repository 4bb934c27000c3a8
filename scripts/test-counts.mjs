/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */

/**
 * @typedef {object} VitestReport as far as it is read
 * @property {readonly { status: string, assertionResults: readonly unknown[] }[]} testResults
 * @property {number} numPassedTests
 * @property {number} numFailedTests
 * @property {number} numPendingTests
 * @property {number} numTodoTests
 */

/** @typedef {{ stats: { expected: number, flaky: number, unexpected: number, skipped: number } }} PlaywrightReport as far as it is read */

/** @type {Counts} */
const NOTHING = { passed: 0, failed: 0, skipped: 0 };

/**
 * @param {VitestReport | undefined} report Vitest's JSON report, or `undefined` where there is none
 * @returns {Counts}
 */
export function countVitest(report) {
  if (report === undefined) return NOTHING;
  // A file that cannot be loaded has no tests to count, and yet has failed.
  const broken = report.testResults.filter((file) => file.status === "failed" && file.assertionResults.length === 0);
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + broken.length,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

/**
 * @param {PlaywrightReport | undefined} report Playwright's JSON report, or `undefined` where there is none
 * @returns {Counts}
 */
export function countPlaywright(report) {
  if (report === undefined) return NOTHING;
  const { expected, flaky, unexpected, skipped } = report.stats;
  return { passed: expected + flaky, failed: unexpected, skipped };
}
