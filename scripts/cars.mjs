// Measures the cars of the built playground: frames a second for 16 to 1,024 of them, with batching and without, both ways
// at once as the page shows them. Run it on a quiet machine: npm run measure cars
import os from "node:os";
import { readArguments } from "./arguments.mjs";
import { findChromium, SANDBOX_FLAGS } from "./chromium.mjs";
import { PLAYGROUND_SITE } from "./playground-site.mjs";
import { serve } from "./static-server.mjs";
import { ensureBuilt, ensureInstalled, main } from "./workspace.mjs";

const COUNTS = [16, 32, 64, 128, 256, 512, 1024];
/** Until the figures are those of this number of cars. */
const SETTLE_MS = 2000;
const SAMPLES = 8;
const SAMPLE_MS = 500;
const FIGURES = ["frames", "dropped", "answers"];

const USAGE = `Usage: npm run measure cars
  Measures the cars of the built playground. Takes no options.`;

await main(async () => {
  readArguments(USAGE, {}, () => {});
  await ensureInstalled();
  await ensureBuilt();
  const executablePath = await findChromium();
  const { chromium } = await import("@playwright/test");
  const site = await serve(PLAYGROUND_SITE);
  const browser = await chromium.launch({ executablePath, args: SANDBOX_FLAGS });
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    console.log("| cars | batching: frames, dropped, answers a second | one call at a time |\n| --- | --- | --- |");
    for (const cars of COUNTS) {
      await page.goto(`${site.url}/?cars=${cars}&backend=wasm`);
      for (const lane of ["batched", "single"]) await page.getByTestId(`cars-frames-${lane}`).getByText(/\d/).waitFor();
      await page.waitForTimeout(SETTLE_MS);
      console.log(
        `| ${cars} | ${(await Promise.all(["batched", "single"].map((lane) => medians(page, lane)))).join(" | ")} |`,
      );
    }
    console.log(
      `\nLoad of the machine in the last minute: ${os.loadavg()[0]?.toFixed(1)} on ${os.cpus().length} processors.`,
    );
  } finally {
    await browser.close();
    await site.close();
  }
});

/**
 * @param {import("@playwright/test").Page} page
 * @param {string} lane
 */
async function medians(page, lane) {
  /** @type {number[][]} */
  const samples = [];
  for (let sample = 0; sample < SAMPLES; sample++) {
    await page.waitForTimeout(SAMPLE_MS);
    const texts = await Promise.all(FIGURES.map((name) => page.getByTestId(`cars-${name}-${lane}`).textContent()));
    samples.push(texts.map((text) => Number((text ?? "").replaceAll(",", ""))));
  }
  return FIGURES.map(
    (_, index) => samples.map((sample) => sample[index] ?? 0).toSorted((a, b) => a - b)[SAMPLES / 2],
  ).join(", ");
}
