// Measures the vitals of the built playground: loading, layout, interactions and long tasks.
import os from "node:os";
import process from "node:process";
import { readArguments } from "./arguments.mjs";
import { findChromium, SANDBOX_FLAGS } from "./chromium.mjs";
import { longestTasks } from "./longest-tasks.mjs";
import { PLAYGROUND_SITE } from "./playground-site.mjs";
import { serve } from "./static-server.mjs";
import { ensureBuilt, ensureInstalled, main } from "./workspace.mjs";

const WINDOW = { width: 1440, height: 900 };

/** How long the page is observed after a phase, in ms, so that late entries count. */
const SETTLE_MS = 1500;

/**
 * The maxima of a phase, in ms; `shift` is a sum without unit. `taskMs` is processor time, so that other programs do not
 * count. `on` names the element of the slowest interaction.
 *
 * @typedef {{ paintMs: number, shift: number, interactionMs: number, on: string, taskMs: number }} Vitals
 */

const [LOAD, REST, COMPARISON] = [0, 1, 2];

/** What the page may reach at most in each phase. */
const GOALS = /** @type {const} */ ([
  [LOAD, "paintMs", "largest contentful paint, ms", 1000],
  [LOAD, "shift", "layout shift while loading", 0.01],
  [LOAD, "taskMs", "longest task while loading, ms of processor time", 50],
  [REST, "shift", "layout shift at rest", 0.01],
  [REST, "interactionMs", "slowest interaction at rest, ms", 100],
  [REST, "taskMs", "longest task at rest, ms of processor time", 50],
  [COMPARISON, "shift", "layout shift during a comparison", 0.01],
  [COMPARISON, "interactionMs", "slowest interaction during a comparison, ms", 200],
  [COMPARISON, "taskMs", "longest task during a comparison, ms of processor time", 100],
]);

/** Every scene, a page without a model, and the documentation, each as the first page of a visit. */
const PAGES = [
  "?",
  "?scene=digits",
  "?scene=languages",
  "?scene=streams",
  "?scene=translate",
  "?scene=page",
  "?scene=model",
  "docs/",
  "examples/",
];

/** How long a first page is observed, in ms. */
const VISIT_MS = 6000;

const USAGE = `Usage: npm run measure vitals
  Measures the built site as npm start serves it. Takes no options.`;

await main(async () => {
  readArguments(USAGE, {}, () => {});
  await ensureInstalled();
  await ensureBuilt();
  const executablePath = await findChromium();
  const { chromium } = await import("@playwright/test");
  const site = await serve(PLAYGROUND_SITE);
  const browser = await chromium.launch({ executablePath, args: SANDBOX_FLAGS });
  try {
    const visits = [];
    for (const address of PAGES) visits.push(await visit(browser, `${site.url}/${address}`));
    const areGood = printVisits(visits);
    const page = await browser.newPage({ viewport: WINDOW });
    await page.addInitScript(observe);
    if (!print(await measure(browser, page, site.url)) || !areGood) process.exitCode = 1;
  } finally {
    await browser.close();
    await site.close();
  }
});

/**
 * What a visit that begins with a page is like. Bytes are as sent, without headers; `ownBytes` leaves out models and ONNX
 * Runtime.
 *
 * @typedef {Vitals & { address: string, bytes: number, ownBytes: number }} Visit
 */

/**
 * @param {import("@playwright/test").Browser} browser
 * @param {string} address
 * @returns {Promise<Visit>}
 */
async function visit(browser, address) {
  const context = await browser.newContext({ viewport: WINDOW, serviceWorkers: "block" });
  const page = await context.newPage();
  await page.addInitScript(observe);
  /** @type {Promise<{ url: string, bytes: number }>[]} */
  const sizes = [];
  page.on("requestfinished", (request) =>
    sizes.push(request.sizes().then(({ responseBodySize }) => ({ url: request.url(), bytes: responseBodySize }))),
  );
  /** @type {Omit<Vitals, "taskMs">[]} */
  const seen = [];
  const [taskMs = Number.NaN] = await longestTasks(browser, page, async () => {
    seen.push(
      await phase(page, async () => {
        await page.goto(address);
        await page.waitForTimeout(VISIT_MS);
      }),
    );
  });
  const files = await Promise.all(sizes);
  await context.close();
  const sum = (/** @type {typeof files} */ some) => some.reduce((total, { bytes }) => total + bytes, 0);
  const own = files.filter(({ url }) => !/\.(onnx|wasm)$/.test(url));
  const [vitals] = seen;
  if (vitals === undefined) throw new Error("The visit was not observed.");
  return { ...vitals, taskMs, address, bytes: sum(files), ownBytes: sum(own) };
}

/** @param {readonly Visit[]} visits */
function printVisits(visits) {
  const [PAINT_MS, SHIFT, TASK_MS] = [1000, 0.01, 50];
  const mark = (/** @type {number} */ value, /** @type {number} */ most, digits = 0) =>
    `${value.toFixed(digits)}${value > most ? " ✗" : ""}`;
  console.log(
    "| first page | largest paint, ms | layout shift | longest task, ms | kB | kB without models and runtime |",
  );
  console.log("| --- | --- | --- | --- | --- | --- |");
  for (const { address, paintMs, shift, taskMs, bytes, ownBytes } of visits) {
    const { pathname, search } = new URL(address);
    const cells = [mark(paintMs, PAINT_MS), mark(shift, SHIFT, 3), mark(taskMs, TASK_MS)];
    console.log(
      `| ${[pathname + search, ...cells, ...[bytes, ownBytes].map((size) => (size / 1000).toFixed(0))].join(" | ")} |`,
    );
  }
  console.log("");
  return visits.every(({ paintMs, shift, taskMs }) => paintMs <= PAINT_MS && shift <= SHIFT && taskMs <= TASK_MS);
}

/**
 * @param {import("@playwright/test").Browser} browser
 * @param {import("@playwright/test").Page} page
 * @param {string} url
 */
async function measure(browser, page, url) {
  const uses = [() => load(page, url), () => useAtRest(page), () => useDuringComparison(page)];
  /** @type {Omit<Vitals, "taskMs">[]} */
  const seen = [];
  const tasksMs = await longestTasks(browser, page, async () => {
    for (const use of uses) seen.push(await phase(page, use));
  });
  return seen.map((vitals, index) => ({ ...vitals, taskMs: tasksMs[index] ?? Number.NaN }));
}

/** Runs in the page, before its own scripts. */
function observe() {
  performance.mark("start");
  const none = { paintMs: 0, shift: 0, interactionMs: 0, on: "" };
  const vitals = { ...none };
  const collect = (
    /** @type {string} */ type,
    /** @type {(entry: PerformanceEntry) => void} */ take,
    /** @type {PerformanceObserverInit & { durationThreshold?: number }} */ options = {},
  ) => new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true, ...options });
  collect("largest-contentful-paint", ({ startTime }) => (vitals.paintMs = startTime));
  // TypeScript's library does not declare the entries of layout shifts.
  collect("layout-shift", (entry) => {
    if ("value" in entry && "hadRecentInput" in entry && !entry.hadRecentInput) vitals.shift += Number(entry.value);
  });
  collect("event", takeEvent, { durationThreshold: 16 });
  function takeEvent(/** @type {PerformanceEntry} */ entry) {
    if (!(entry instanceof PerformanceEventTiming)) return;
    const { interactionId, duration, target } = entry;
    if (interactionId === 0 || duration <= vitals.interactionMs) return;
    const isNamed = target instanceof HTMLElement;
    Object.assign(vitals, { interactionMs: duration, on: isNamed ? (target.dataset["testid"] ?? target.tagName) : "" });
  }
  const takeVitals = () => {
    const taken = { ...vitals };
    Object.assign(vitals, none);
    return taken;
  };
  Object.assign(globalThis, { takeVitals });
}

/**
 * @param {import("@playwright/test").Page} page
 * @param {() => Promise<void>} use
 * @returns {Promise<Omit<Vitals, "taskMs">>}
 */
async function phase(page, use) {
  await use();
  await page.waitForTimeout(SETTLE_MS);
  // The page itself marks the start of the first phase.
  await page.evaluate(() => {
    performance.mark("end");
    performance.mark("start");
  });
  return page.evaluate("takeVitals()");
}

/**
 * @param {import("@playwright/test").Page} page
 * @param {string} url
 */
async function load(page, url) {
  await page.goto(url);
  await modelIsReady(page);
}

/** @param {import("@playwright/test").Page} page */
async function modelIsReady(page) {
  await page
    .getByTestId("backend")
    .getByText(/wasm|webgpu/i)
    .first()
    .waitFor();
}

/** @param {import("@playwright/test").Page} page */
async function useAtRest(page) {
  // The cars run from the start; the other controls are those of the digits.
  for (const key of ["ArrowRight", "ArrowLeft"]) await page.getByTestId("car-count").press(key);
  await page.getByTestId("trained-switch").click();
  await page.getByTestId("scene-digits").click();
  await modelIsReady(page);
  for (const digit of [3, 5, 8]) await page.getByTestId(`sample-${digit}`).click();
  await page.getByTestId("clear").click();
  for (const key of ["ArrowRight", "ArrowRight", "ArrowLeft"]) await page.getByTestId("tile-count").press(key);
  await page.getByTestId("batching-switch").click();
  await page.getByTestId("batching-switch").click();
  await changeTheme(page);
  for (const scene of ["languages", "digits"]) {
    await page.getByTestId(`scene-${scene}`).click();
    await modelIsReady(page);
  }
}

/** @param {import("@playwright/test").Page} page */
async function useDuringComparison(page) {
  await page.getByTestId("compare").click();
  await page.getByTestId("countdown").waitFor();
  const done = page.getByTestId("comparison").waitFor({ timeout: 120_000 });
  for (let turn = 0; turn < 4; turn++) {
    await changeTheme(page);
    await page.mouse.wheel(0, turn % 2 === 0 ? 900 : -900);
    await page.waitForTimeout(SETTLE_MS);
  }
  await done;
}

/** @param {import("@playwright/test").Page} page */
async function changeTheme(page) {
  for (const theme of ["dark", "light"]) await page.locator(`.segment:has(input[value="${theme}"])`).click();
}

/** @param {readonly Vitals[]} phases */
function print(phases) {
  const rows = GOALS.map(([place, vital, words, most]) => {
    const where = vital === "interactionMs" ? `, on ${phases[place]?.on}` : "";
    return { words: words + where, value: phases[place]?.[vital] ?? Number.NaN, most };
  });
  console.log("| vital | measured | at most |\n| --- | --- | --- |");
  for (const { words, value, most } of rows) {
    const figure = value < 1 ? value.toFixed(3) : value.toFixed(0);
    console.log(`| ${words} | ${figure}${value > most ? " ✗" : ""} | ${most} |`);
  }
  console.log(
    `\nLoad of the machine in the last minute: ${os.loadavg()[0]?.toFixed(1)} on ${os.cpus().length} processors.`,
  );
  return rows.every(({ value, most }) => value <= most);
}
