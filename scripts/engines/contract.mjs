import path from "node:path";
import process from "node:process";
import { serve } from "../static-server.mjs";
import { NOTHING } from "../test-counts.mjs";
import { root } from "../workspace.mjs";
import { chromium } from "./chromium.mjs";
import { locate } from "./engine.mjs";
import { firefox } from "./firefox.mjs";
import { webkit } from "./webkit.mjs";

/** @typedef {import("../../e2e/engines/promise.js").Verdict} Verdict */
/** @typedef {import("../test-counts.mjs").Counts} Counts */

/** @type {readonly import("./engine.mjs").Engine[]} */
export const ENGINES = [chromium, firefox, webkit];

/** Waits for the page's script: a driver may report a page as loaded before its script has run. */
const PAGE_IS_READY = `new Promise((resolve) => {
  const look = () => ("contract" in globalThis ? resolve("") : setTimeout(look, 20));
  look();
})`;

/**
 * The number of tests before the page is reloaded: in WebKit, each model on a page takes longer than the one before.
 */
const PROMISES_A_PAGE = 25;

/**
 * The time limit of a test in a page that does not respond. A page that responds ends every test within 60 s itself.
 */
const LIMIT_MS = 90_000;

/**
 * Serves the test pages, the models and the built SDK, and allows other origins to read them.
 *
 * @param {import("../static-server.mjs").StaticSite["intercept"]} [intercept]
 */
export function serveContract(intercept) {
  const folders = {
    "/models/": path.join(root, "models/dist"),
    "/models/digits/": path.join(root, "models/digits"),
    "/sdk/": path.join(root, "packages/framebatch/dist"),
    "/": path.join(root, "e2e/dist/site"),
  };
  return serve({ folders, headers: { "Access-Control-Allow-Origin": "*" }, intercept });
}

/**
 * Runs the contract tests in each installed engine, one engine after the other, and reports on the console. An engine
 * that is not installed is reported, and counts as one skipped test.
 *
 * @param {(promise: string) => boolean} [isChosen] Selects tests by their title. Default: all tests.
 * @param {readonly import("./engine.mjs").Engine[]} [engines] Default: all engines.
 * @returns {Promise<Counts>}
 */
export async function keepContract(isChosen = () => true, engines = ENGINES) {
  const site = await serveContract();
  const total = { ...NOTHING };
  try {
    for (const engine of engines) {
      const counts = await keepContractIn(engine, site.url, isChosen);
      for (const key of ["passed", "failed", "skipped"]) total[key] += counts[key];
    }
  } finally {
    await site.close();
  }
  return total;
}

/**
 * @param {import("./engine.mjs").Engine} engine
 * @param {string} site
 * @param {(promise: string) => boolean} isChosen
 * @returns {Promise<Counts>}
 */
async function keepContractIn(engine, site, isChosen) {
  const { paths, missing } = await locate(engine);
  if (missing.length > 0) {
    console.log(
      `skipped  ${engine.name}: ${missing.join(", ")} not found (on Debian, npm run test:engines installs it)`,
    );
    return { ...NOTHING, skipped: 1 };
  }
  const startedAtMs = performance.now();
  try {
    const { version, verdicts } = await verdictsOf(engine, paths, site, isChosen);
    return report(`${engine.name} ${version}`, verdicts, performance.now() - startedAtMs);
  } catch (error) {
    console.log(`FAILED   ${engine.name}: ${error instanceof Error ? error.message : String(error)}`);
    return { ...NOTHING, failed: 1 };
  }
}

/**
 * @param {import("./engine.mjs").Engine} engine
 * @param {Readonly<Record<string, string>>} paths
 * @param {string} site
 * @param {(promise: string) => boolean} isChosen
 * @returns {Promise<{ version: string, verdicts: Verdict[] }>}
 */
async function verdictsOf(engine, paths, site, isChosen) {
  const browser = await engine.open(paths);
  const verdicts = [];
  const uncaught = [];
  try {
    const tab = await browser.openTab();
    await openPage(tab, site);
    const promises = JSON.parse(await tab.ask("contract.promises()")).entries();
    const chosen = [...promises].filter(([, promise]) => isChosen(promise));
    for (const [count, [index, promise]] of chosen.entries()) {
      if (count % PROMISES_A_PAGE === 0) await openPage(tab, site);
      verdicts.push(await verdictOf(tab, index, promise));
      uncaught.push(...JSON.parse(await tab.ask("contract.uncaught()")));
    }
  } finally {
    await browser.close();
  }
  return { version: browser.version, verdicts: [...verdicts, nothingUncaught(uncaught)] };
}

/**
 * @param {import("../../e2e/engines/browser.js").Tab} tab
 * @param {number} index
 * @param {string} promise
 * @returns {Promise<Verdict>}
 */
async function verdictOf(tab, index, promise) {
  try {
    return JSON.parse(await withinLimit(tab.ask(`contract.keep(${index})`)));
  } catch (error) {
    throw new Error(`${promise}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

/**
 * @param {import("../../e2e/engines/browser.js").Tab} tab
 * @param {string} site
 */
export async function openPage(tab, site) {
  await tab.open(`${site}/contract.html`);
  await tab.ask(PAGE_IS_READY);
}

/** @param {readonly string[]} uncaught @returns {Verdict} */
function nothingUncaught(uncaught) {
  const promise = "the page has no uncaught errors";
  return { promise, outcome: uncaught.length === 0 ? "kept" : "broken", why: [...new Set(uncaught)].join("; "), ms: 0 };
}

/**
 * @param {string} browser
 * @param {readonly Verdict[]} verdicts
 * @param {number} ms
 * @returns {Counts}
 */
function report(browser, verdicts, ms) {
  const count = (/** @type {Verdict["outcome"]} */ outcome) =>
    verdicts.filter((verdict) => verdict.outcome === outcome);
  const [kept, broken, skipped] = [count("kept"), count("broken"), count("skipped")];
  const word = broken.length > 0 ? "FAILED " : "ok     ";
  const seconds = (ms / 1000).toFixed(1);
  console.log(
    `${word}  ${browser}: ${kept.length} passed, ${broken.length} failed, ${skipped.length} skipped (${seconds} s)`,
  );
  for (const { outcome, promise, why } of [...broken, ...skipped])
    console.log(`           ${outcome}  ${promise}: ${why}`);
  if (process.env["FRAMEBATCH_VERBOSE"] !== undefined) {
    for (const { promise, ms: took } of kept) console.log(`           kept  ${promise} (${took} ms)`);
  }
  return { ...NOTHING, passed: kept.length, failed: broken.length, skipped: skipped.length };
}

/**
 * @template T
 * @param {Promise<T>} work
 * @returns {Promise<T>}
 */
function withinLimit(work) {
  let timer;
  const late = new Promise((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${LIMIT_MS / 1000} s`)), LIMIT_MS);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
