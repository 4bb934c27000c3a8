// Runs every check of the repository. Later checks run even if an earlier one fails, so that one run reports all
// failures. The last line is a summary.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { readArguments } from "./arguments.mjs";
import { findChromium, findHeadlessShell } from "./chromium.mjs";
import { pack } from "./consumers/tarball.mjs";
import {
  countPlaywright,
  countVitest,
  NOTHING,
  outcomesInPlaywright,
  outcomesInVitest,
  slowestTests,
  unsteadyTests,
} from "./test-counts.mjs";
import { bin, buildAll, ensureInstalled, lastLines, main, Problem, run, since } from "./workspace.mjs";

/** @typedef {import("./test-counts.mjs").Counts} Counts */
/** @typedef {import("./test-counts.mjs").Outcome} Outcome */

const SHOWN_LINES = 60;
const SLOWEST = 10;
/** The most failures that run once more. More than these are no races, and would take as long again. */
const RUN_AGAIN = 20;
const USAGE = `Usage: npm test [-- --all]
  --all   also what takes long: every test in a browser, the contract of all engines, all versions of TypeScript`;
const isComplete = process.argv.includes("--all");
/** How a check runs beside the browser tests. */
const BESIDE = { quiet: true, background: true };
/** The same for programs in Go. With fewer garbage collections, they need a quarter less of the processor. */
const BESIDE_IN_GO = { ...BESIDE, env: { GOGC: "400" } };
/** Tells the tests to run whole. */
const ALL = isComplete ? { FRAMEBATCH_ALL: "1" } : {};

await main(async () => {
  readArguments(USAGE, { options: { all: { type: "boolean" } } }, () => {});
  const startedAtMs = performance.now();
  await ensureInstalled();
  const folder = mkdtempSync(path.join(os.tmpdir(), "framebatch-test-"));
  const reports = { vitest: path.join(folder, "vitest.json"), playwright: path.join(folder, "playwright.json") };
  try {
    const counts = await everything(reports, folder);
    console.log(`\nThe slowest tests:\n${slowestTests(read(reports.vitest), read(reports.playwright), SLOWEST)}`);
    conclude(counts, startedAtMs);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

/**
 * @param {{ vitest: string, playwright: string }} reports
 * @param {string} folder where the packed package is written
 */
async function everything(reports, folder) {
  // Starts early: the installation of a browser uses the network, and the steps before the browser tests use the
  // processor.
  const browsers = findBrowsers();
  return [
    // The build comes first: the other checks read the types and models that it writes.
    await check("build", () => buildAll()),
    // Alone: while it packs, the declarations are those of the published package, which no compiler in the workspace can
    // read.
    await check("pack", () => packed(folder)),
    ...(await sideBySide(reports, await browsers, folder)),
    ...(isComplete ? [await typesOfAllVersions(), await engineTests(), await soakOfTabs()] : []),
  ];
}

/**
 * Runs the unit tests, which use all cores, and then what shares the machine: the browser tests use two thirds of two cores, because
 * they wait for frames and servers, and the static checks and the consumers get what is left.
 *
 * @param {{ vitest: string, playwright: string }} reports
 * @param {Record<string, string> | Problem} browsers
 * @param {string} folder that of the packed package
 * @returns {Promise<Counts[]>}
 */
async function sideBySide(reports, browsers, folder) {
  const units = await unitTests(reports.vitest);
  const [statics, packaged, inBrowsers] = await Promise.all([
    staticChecks(),
    consumers(browsers, folder),
    browserTests(reports.playwright, browsers),
  ]);
  // What failed runs again only now, when nothing else runs.
  return [units, ...statics, packaged, await inBrowsers()];
}

/** @returns {Promise<Record<string, string> | Problem>} the environment variables for Playwright's configuration */
async function findBrowsers() {
  try {
    const FRAMEBATCH_CHROMIUM = await findChromium();
    const shell = isComplete ? undefined : await findHeadlessShell();
    return { FRAMEBATCH_CHROMIUM, ...(shell !== undefined && { FRAMEBATCH_HEADLESS_SHELL: shell }) };
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

/** @returns {Promise<Counts[]>} */
async function staticChecks() {
  return [
    await check("format", () => run(bin("oxfmt"), ["--check", "."], BESIDE), "npm run fix"),
    await check("lint", () => run(bin("oxlint"), ["--type-aware", "--deny-warnings"], BESIDE_IN_GO), "npm run fix"),
    await check("types", () => run(bin("tsc"), ["--build"], BESIDE_IN_GO)),
    await script("docs", "scripts/what-can-go-wrong.mjs"),
    await script("figures", "scripts/readme-figures.mjs"),
    await script("publication", "scripts/publication.mjs"),
    await script("rooms", "scripts/rooms.mjs"),
  ];
}

/**
 * @param {string} name
 * @param {string} file a script that generates a part of the documentation, and with `--check` compares it
 */
function script(name, file) {
  return check(name, () => run(process.execPath, [file, "--check"], BESIDE), `node ${file}`);
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
  if (code === 0) {
    console.log(`ok      ${name} (${since(startedAtMs)})`);
    return { ...NOTHING, passed: 1 };
  }
  const fix = remedy === undefined ? "" : `; to fix it, run: ${remedy}`;
  console.log(`FAILED  ${name} (${since(startedAtMs)})${fix}\n${lastLines(output, SHOWN_LINES)}\n`);
  return { ...NOTHING, failed: 1 };
}

/** @param {string} folder */
async function packed(folder) {
  try {
    return { code: 0, output: await pack(folder) };
  } catch (error) {
    return { code: 1, output: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * Builds and runs applications that install the packed package.
 *
 * @param {Record<string, string> | Problem} browsers their environment variables, or why there is no browser
 * @param {string} folder that of the packed package
 * @returns {Promise<Counts>}
 */
async function consumers(browsers, folder) {
  if (browsers instanceof Problem) return NOTHING; // The browser tests report it.
  const env = { FRAMEBATCH_CHROMIUM: browsers["FRAMEBATCH_HEADLESS_SHELL"] ?? browsers["FRAMEBATCH_CHROMIUM"] };
  const args = ["scripts/consumers.mjs", "--quick", "--packed", folder];
  return check("consumers", () => run(process.execPath, args, { ...BESIDE, env }));
}

/**
 * @param {string} report
 * @returns {Promise<Counts>}
 */
async function unitTests(report) {
  const startedAtMs = performance.now();
  const reporters = ["--reporter=./scripts/reporters/vitest.mjs", "--reporter=json"];
  const unhandled = report.replace(/\.json$/, "-unhandled.txt");
  const vitest = async (/** @type {string} */ file, /** @type {string[]} */ args) => {
    const { code } = await run(bin("vitest"), ["run", ...reporters, `--outputFile.json=${file}`, ...args], {
      env: { ...ALL, FRAMEBATCH_UNHANDLED: unhandled },
    });
    return code;
  };
  const code = await vitest(report, []);
  const first = read(report);
  const counts = told("unit tests", startedAtMs, atLeastOneFailure(code, countVitest(first)));
  const last = await runAgain(counts, outcomesInVitest(first), async () => {
    const files = first.testResults.filter(({ status }) => status === "failed").map(({ name }) => name);
    await vitest(again(report), ["--no-file-parallelism", ...files]);
    return outcomesInVitest(read(again(report)));
  });
  // An error outside any test belongs to none that passes alone.
  const isUnhandled = last.failed === 0 && last.unsteady > 0 && existsSync(unhandled);
  return isUnhandled ? { ...last, failed: 1 } : last;
}

/**
 * Runs what failed once more, alone: what passes then depends on how fast the machine is, or on how busy, and says nothing
 * about the change under test.
 *
 * @param {Counts} counts those of the first run
 * @param {readonly Outcome[]} first
 * @param {() => Promise<readonly Outcome[]>} second
 * @returns {Promise<Counts>}
 */
async function runAgain(counts, first, second) {
  const failed = first.filter(({ isFailed }) => isFailed).length;
  if (failed === 0 || failed > RUN_AGAIN) return counts;
  console.log(`        ${failed} failed: running again, alone`);
  const unsteady = unsteadyTests(first, await second());
  for (const name of unsteady)
    console.log(`UNSTEADY  ${name}, passed when it ran alone: it races the machine, mend it`);
  return { ...counts, failed: counts.failed - unsteady.length, unsteady: unsteady.length };
}

/**
 * Returns the path of the second report.
 *
 * @param {string} report
 */
function again(report) {
  return report.replace(/\.json$/, "-again.json");
}

/**
 * @param {string} report
 * @param {Record<string, string> | Problem} browsers their environment variables, or why there is no browser
 * @returns {Promise<() => Promise<Counts>>} runs again what failed
 */
async function browserTests(report, browsers) {
  if (browsers instanceof Problem) {
    console.log(`FAILED  browser tests: ${browsers.message}`);
    return async () => ({ ...NOTHING, failed: 1 });
  }
  const startedAtMs = performance.now();
  console.log(`        browser tests in ${Object.values(browsers).join(" and ")}`);
  const playwright = async (/** @type {string} */ file, /** @type {string[]} */ args) => {
    const env = { ...browsers, ...ALL, PLAYWRIGHT_JSON_OUTPUT_FILE: file };
    const reporters = "--reporter=./scripts/reporters/playwright.mjs,json";
    const { code } = await run(bin("playwright"), ["test", reporters, ...args], { env });
    return code;
  };
  const code = await playwright(report, []);
  const first = read(report);
  const leftOut = isComplete
    ? ""
    : "; tests tagged @long, and @slow-gpu on WebGPU, were not run: npm test -- --all runs them";
  const counts = told("browser tests", startedAtMs, atLeastOneFailure(code, countPlaywright(first)), leftOut);
  return () =>
    runAgain(counts, outcomesInPlaywright(first), async () => {
      await playwright(again(report), ["--last-failed", "--workers=1"]);
      return outcomesInPlaywright(read(again(report)));
    });
}

/** Compiles an application with every version of TypeScript. The unit tests do with that of this repository. @returns {Promise<Counts>} */
function typesOfAllVersions() {
  return check("types in each TypeScript", () =>
    run(process.execPath, ["scripts/consumers.mjs", "--only", "types"], { quiet: true }),
  );
}

/** @returns {Promise<Counts>} */
async function engineTests() {
  // A dynamic import, because it needs the installed dependencies.
  const { keepContract } = await import("./engines/contract.mjs");
  return keepContract();
}

/** @returns {Promise<Counts>} */
function soakOfTabs() {
  const args = ["scripts/shared-soak.mjs", "--requests", "20000"];
  return check("soak of shared tabs", () => run(process.execPath, args, { quiet: true }));
}

/**
 * @param {string} name
 * @param {number} startedAtMs
 * @param {Counts} counts
 * @param {string} [remark]
 */
function told(name, startedAtMs, counts, remark = "") {
  const word = counts.failed > 0 ? "FAILED" : "ok    ";
  console.log(`${word}  ${name} (${since(startedAtMs)}): ${counts.passed} passed, ${counts.failed} failed${remark}`);
  return counts;
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
 * Counts at least one failure if the runner failed without a failed test: it found no tests, or it crashed.
 *
 * @param {number} code
 * @param {Counts} counts
 * @returns {Counts}
 */
function atLeastOneFailure(code, counts) {
  const sound = code === 0 && counts.passed > 0;
  return sound || counts.failed > 0 ? counts : { ...counts, failed: 1 };
}

/**
 * @param {readonly Counts[]} all
 * @param {number} startedAtMs
 */
function conclude(all, startedAtMs) {
  const sum = (/** @type {keyof Counts} */ key) => all.reduce((total, counts) => total + counts[key], 0);
  const rest = /** @type {const} */ (["unsteady", "skipped"])
    .map((key) => (sum(key) > 0 ? `, ${sum(key)} ${key}` : ""))
    .join("");
  console.log(`\n${sum("passed")} passed, ${sum("failed")} failed${rest} in ${since(startedAtMs)}`);
  process.exitCode = sum("failed") > 0 ? 1 : 0;
}
