import { loadavg } from "node:os";
import { longestTasks } from "../../scripts/longest-tasks.mjs";

/** @typedef {import("./src/measure/pipelines.ts").PageResult & { longestTaskMs: number }} Result */

/** `open` and `read` run on the page. */
const READERS = [
  {
    name: "batching on",
    open: () => window.ocr.openPipeline(true),
    read: ([reader, index, texts]) => window.ocr.measurePipeline(reader, index, texts),
  },
  {
    name: "batching off",
    open: () => window.ocr.openPipeline(false),
    read: ([reader, index, texts]) => window.ocr.measurePipeline(reader, index, texts),
  },
  {
    name: "@gutenye/ocr-browser",
    open: () => window.ocr.openPeer(),
    read: ([reader, index, texts]) => window.ocr.measurePeer(reader, index, texts),
  },
];

/**
 * Reads the same pages with each reader in one run, in an order that rotates from page to page, and prints a table. A
 * page that is not counted comes first, so that all code is compiled. Errors count on pages with one column apart,
 * since ocr-browser joins lines across columns.
 *
 * @param {import("@playwright/test").Browser} browser
 * @param {import("@playwright/test").Page} page
 * @param {readonly { index: number, paragraphs: string[] }[]} texts
 */
export async function compareReaders(browser, page, texts) {
  /** @type {{ name: string, read: (typeof READERS)[number]["read"], handle: unknown, results: Result[] }[]} */
  const opened = [];
  for (const { name, open, read } of READERS) {
    opened.push({ name, read, handle: await page.evaluateHandle(open), results: [] });
  }
  for (const reader of opened) await readWith(browser, page, reader, { index: 0, paragraphs: ["Article 1"] });
  for (const [turn, text] of texts.entries()) {
    for (let place = 0; place < opened.length; place++) {
      const reader = opened[(turn + place) % opened.length];
      const result = await readWith(browser, page, reader, text);
      reader.results.push(result);
      console.error(`page ${text.index}, ${reader.name}: ${seconds(result.ms)} s, load ${loadavg()[0].toFixed(1)}`);
    }
  }
  console.log(
    "| Reader | Errors, one column | Errors, all pages | Seconds a page | Lines a second | First line shown, s | Longest task, ms |",
  );
  console.log("| --- | --- | --- | --- | --- | --- | --- |");
  for (const { name, results } of opened) console.log(row(name, results));
  console.log(`\n${texts.length} pages; load of the machine at the end: ${loadavg()[0].toFixed(1)}`);
}

/** @returns {Promise<Result>} */
async function readWith(browser, page, { handle, read }, { index, paragraphs }) {
  let result;
  const [longestTaskMs] = await longestTasks(browser, page, async () => {
    result = await page.evaluate(read, [handle, index, paragraphs]);
    await page.evaluate(() => performance.clearMarks());
  });
  return { ...result, longestTaskMs };
}

/**
 * @param {string} name
 * @param {readonly Result[]} results
 */
function row(name, results) {
  const sum = (key) => total(results.map((result) => result[key]));
  const figures = [
    errorRate(results.filter(({ columns }) => columns === 1)),
    errorRate(results),
    seconds(sum("ms") / results.length),
    ((1000 * sum("lines")) / sum("ms")).toFixed(2),
    seconds(sum("firstLineMs") / results.length),
    Math.max(...results.map(({ longestTaskMs }) => longestTaskMs)).toFixed(1),
  ];
  return `| ${name} | ${figures.join(" | ")} |`;
}

/**
 * @param {readonly Result[]} results
 * @returns {string} the characters in error per true character; NaN without pages
 */
function errorRate(results) {
  const [errors, length] = [results.map((result) => result.errors), results.map((result) => result.length)];
  return `${((100 * total(errors)) / total(length)).toFixed(2)} %`;
}

/** @param {readonly number[]} values */
function total(values) {
  return values.reduce((sum, value) => sum + value, 0);
}

/** @param {number} ms */
function seconds(ms) {
  return (ms / 1000).toFixed(2);
}
