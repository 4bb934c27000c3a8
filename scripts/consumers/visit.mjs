import { openFront } from "./front.mjs";

const ANSWER_LIMIT_MS = 240_000;
/** How long a page has to answer after an error: a development server may reload it. */
const AFTER_ERROR_MS = 30_000;
/** The largest difference of a logit from the reference. */
const TOLERANCE = 1e-3;

/**
 * A way to open a page.
 *
 * @typedef {object} Visit
 * @property {"wasm" | "webgpu"} provider what the browser offers
 * @property {boolean} isIsolated whether the page is cross-origin isolated and uses two threads
 */

/** @type {readonly Visit[]} */
export const WASM_VISITS = [
  { provider: "wasm", isIsolated: false },
  { provider: "wasm", isIsolated: true },
];

/** @type {readonly Visit[]} */
export const VISITS = [...WASM_VISITS, { provider: "webgpu", isIsolated: false }];

/**
 * Opens an application's page and checks its prediction.
 *
 * @param {Pick<import("./rows.mjs").Kit, "browsers" | "cdn" | "expected">} kit
 * @param {number} port of the application's server
 * @param {Visit} visit
 * @param {{ answer: string } | { provider: string }} wanted what the page must show, or what the model must run on
 * @returns {Promise<{ fault: string | null, loadedBytes: number }>} `fault` is one line, or `null`
 */
export async function visitPage({ browsers, cdn, expected }, port, { provider, isIsolated }, wanted) {
  const browser = await browsers.get(provider);
  const front = await openFront(port, isIsolated);
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    // A model that may choose leaves out a GPU in software, which is what there is here.
    const answer = await answerOf(page, needsGpu(wanted) ? `${front.url}/?webgpu` : front.url);
    const fault = "fault" in answer ? answer.fault : faultOf(answer.text, wanted, expected);
    const isolated = await page.evaluate(() => crossOriginIsolated);
    const wrongIsolation = isolated === isIsolated ? null : `crossOriginIsolated is ${isolated}`;
    return { fault: fault ?? wrongIsolation, loadedBytes: front.loadedBytes() + cdn.loadedBytes(front.url) };
  } finally {
    await context.close();
    front.close();
  }
}

/** @param {{ answer: string } | { provider: string }} wanted */
function needsGpu(wanted) {
  return "provider" in wanted && wanted.provider === "webgpu";
}

/**
 * Waits until the page shows its prediction.
 *
 * @param {import("@playwright/test").Page} page
 * @param {string} url
 * @returns {Promise<{ text: string } | { fault: string }>}
 */
async function answerOf(page, url) {
  /** @type {string[]} */
  const errors = [];
  /** @type {string[]} */
  const messages = [];
  const failed = new Promise((resolve) => {
    page.on("pageerror", ({ message }) => {
      errors.push(message);
      setTimeout(resolve, AFTER_ERROR_MS).unref();
    });
  });
  page.on("console", (message) => message.type() === "error" && messages.push(message.text()));
  await page.goto(url, { waitUntil: "commit", timeout: ANSWER_LIMIT_MS });
  const shown = page.waitForFunction(() => document.querySelector("output")?.textContent, undefined, {
    timeout: ANSWER_LIMIT_MS,
  });
  try {
    const handle = await Promise.race([shown, failed]);
    const text = await handle?.jsonValue();
    if (typeof text === "string") return { text };
  } catch (error) {
    messages.push(String(error));
  }
  shown.catch(() => undefined);
  return { fault: [...errors, ...messages][0] ?? "no prediction" };
}

/**
 * Returns what is wrong with the text of a page: the execution provider and the logits, or its answer.
 *
 * @param {string} text
 * @param {{ answer: string } | { provider: string }} wanted
 * @param {readonly number[]} expected
 */
function faultOf(text, wanted, expected) {
  if ("answer" in wanted) return text === wanted.answer ? null : `expected ${wanted.answer}, got ${text}`;
  const { provider } = wanted;
  const [ran, ...words] = text.trim().split(/\s+/);
  const logits = words.map(Number);
  if (ran !== provider) return `expected to run on ${provider}, got ${ran}`;
  const isRight =
    logits.length === expected.length &&
    expected.every((logit, index) => Math.abs(logit - (logits[index] ?? Number.NaN)) <= TOLERANCE);
  return isRight ? null : `expected ${expected.join(" ")}, got ${logits.join(" ")}`;
}
