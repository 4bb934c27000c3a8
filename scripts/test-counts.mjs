/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */

/** @type {Counts} */
const NOTHING = { passed: 0, failed: 0, skipped: 0 };

/**
 * @param {any} report Vitest's JSON report, or `undefined` where there is none
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
 * @param {any} report Playwright's JSON report, or `undefined` where there is none
 * @returns {Counts}
 */
export function countPlaywright(report) {
  if (report === undefined) return NOTHING;
  const { expected, flaky, unexpected, skipped } = report.stats;
  return { passed: expected + flaky, failed: unexpected, skipped };
}
