// Every check of the repository, one after the other. A check that fails does not keep the later ones from running,
// so one run tells everything; the last line sums up.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { findChromium } from "./chromium.mjs";
import { countPlaywright, countVitest } from "./test-counts.mjs";
import { bin, buildAll, ensureInstalled, lastLines, main, Problem, run } from "./workspace.mjs";

/** @typedef {import("./test-counts.mjs").Counts} Counts */

const SHOWN_LINES = 60;
const isComplete = process.argv.includes("--all");

await main(async () => {
  await ensureInstalled();
  const reports = mkdtempSync(path.join(os.tmpdir(), "framebatch-test-"));
  try {
    conclude(await everything(reports));
  } finally {
    rmSync(reports, { recursive: true, force: true });
  }
});

/** @param {string} reports */
async function everything(reports) {
  return [
    await check("format", () => run(bin("oxfmt"), ["--check", "."], { quiet: true }), "npm run fix"),
    // Before the linter and the type check: both read the types that the build of the SDK writes.
    await check("build", () => buildAll()),
    await check(
      "lint",
      () => run(bin("oxlint"), ["--type-aware", "--deny-warnings"], { quiet: true }),
      "npm run fix mends some",
    ),
    await check(
      "docs",
      () => run(process.execPath, ["scripts/what-can-go-wrong.mjs", "--check"], { quiet: true }),
      "node scripts/what-can-go-wrong.mjs",
    ),
    await check(
      "figures",
      () => run(process.execPath, ["scripts/readme-figures.mjs", "--check"], { quiet: true }),
      "node scripts/readme-figures.mjs",
    ),
    await check("types", () => run(bin("tsc"), ["--build"], { quiet: true })),
    await unitTests(path.join(reports, "vitest.json")),
    await browserTests(path.join(reports, "playwright.json")),
    await engineTests(),
  ];
}

/**
 * @param {string} name
 * @param {() => Promise<{ code: number, output: string }>} action
 * @param {string} [remedy]
 * @returns {Promise<Counts>}
 */
async function check(name, action, remedy) {
  const startedAtMs = performance.now();
  const { code, output } = await action();
  const seconds = ((performance.now() - startedAtMs) / 1000).toFixed(1);
  if (code === 0) {
    console.log(`ok      ${name} (${seconds} s)`);
    return { passed: 1, failed: 0, skipped: 0 };
  }
  console.log(
    `FAILED  ${name} (${seconds} s)${remedy === undefined ? "" : `: ${remedy}`}\n${lastLines(output, SHOWN_LINES)}\n`,
  );
  return { passed: 0, failed: 1, skipped: 0 };
}

/** @param {string} report */
async function unitTests(report) {
  console.log("\nUnit tests");
  const args = ["run", "--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const { code } = await run(bin("vitest"), args);
  return atLeastOneFailure(code, countVitest(read(report)));
}

/**
 * @param {string} report
 * @returns {Promise<Counts>}
 */
async function browserTests(report) {
  console.log("\nBrowser tests");
  try {
    const chromium = await findChromium();
    console.log(`Chromium: ${chromium}`);
    const env = {
      FRAMEBATCH_CHROMIUM: chromium,
      PLAYWRIGHT_JSON_OUTPUT_FILE: report,
      ...(isComplete && { FRAMEBATCH_ALL: "1" }),
    };
    const choice = isComplete ? [] : ["--grep-invert", "@long"];
    const { code } = await run(bin("playwright"), ["test", "--reporter=list,json", ...choice], { env });
    if (!isComplete)
      console.log("Left out: tests marked @long, and on WebGPU @slow-gpu; npm test -- --all runs them too.");
    return atLeastOneFailure(code, countPlaywright(read(report)));
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    console.log(`FAILED  ${error.message}`);
    return { passed: 0, failed: 1, skipped: 0 };
  }
}

/**
 * The engines that are here, each with the same contract; without the long tables of bad inputs and of types, which the
 * browser tests have been through. `npm run test:engines` asks for all.
 *
 * @returns {Promise<Counts>}
 */
async function engineTests() {
  console.log("\nThree engines");
  // Imported late: it needs what is installed.
  const { ENGINES, keepContract } = await import("./engines/contract.mjs");
  const counts = await keepContract((promise) => !/^(bad|tensors) /.test(promise), ENGINES.slice(0, -1));
  // WebKit takes minutes where the others take seconds.
  console.log("skipped  WebKit: npm run test:engines");
  return { ...counts, skipped: counts.skipped + 1 };
}

/** @param {string} file */
function read(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}

/**
 * A runner may fail without naming a test: it found none, or fell over.
 *
 * @param {number} code
 * @param {Counts} counts
 * @returns {Counts}
 */
function atLeastOneFailure(code, counts) {
  const sound = code === 0 && counts.passed > 0;
  return sound || counts.failed > 0 ? counts : { ...counts, failed: 1 };
}

/** @param {readonly Counts[]} all */
function conclude(all) {
  const sum = (/** @type {keyof Counts} */ key) => all.reduce((total, counts) => total + counts[key], 0);
  const skipped = sum("skipped") > 0 ? `, ${sum("skipped")} skipped` : "";
  console.log(`\n${sum("passed")} passed, ${sum("failed")} failed${skipped}`);
  process.exitCode = sum("failed") > 0 ? 1 : 0;
}
