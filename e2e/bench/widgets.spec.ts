import path from "node:path";
import { fileURLToPath } from "node:url";
import process from "node:process";
import { chromium, type Page } from "@playwright/test";
import { flagsFor } from "../../apps/bench/runner/visits/browser.js";
import type { PageSlice } from "../../apps/bench/runner/page/page-slice.js";
import { Visit } from "../../apps/bench/runner/page/visit.js";
import { quantileOf } from "../../apps/bench/src/statistics/quantile.js";
import { seededRandom } from "../../apps/bench/src/statistics/random.js";
import { serve } from "../../scripts/static-server.mjs";
import { expect, LONG, test } from "../support/test.js";

const FOLDER = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../apps/bench/dist");

/** Blocks the page every 250 ms for this long, in ms. */
function blockPage(blockMs: number): void {
  setInterval(() => {
    const endMs = performance.now() + blockMs;
    while (performance.now() < endMs);
  }, 250);
}

/** Opens a lane on a page of its own, and measures it. */
async function visit(lane: string, use: (visited: Visit, page: Page) => Promise<PageSlice>): Promise<PageSlice> {
  const site = await serve({ folders: { "/": FOLDER }, headers: {} });
  const executablePath = process.env["FRAMEBATCH_CHROMIUM"] ?? chromium.executablePath();
  const browser = await chromium.launch({ executablePath, args: [...flagsFor("wasm")] });
  try {
    const page = await browser.newPage();
    const spec = { lane, model: "mlp-tiny", backend: "wasm", seed: 1, widgets: 16 } as const;
    return await use(await Visit.open(page, site.url, spec, seededRandom(1)), page);
  } finally {
    await browser.close();
    await site.close();
  }
}

/** Measures four widgets for two seconds on a page that is blocked again and again for `blockMs`. */
function measure(blockMs: number): Promise<PageSlice> {
  return visit("frame", async (visited, page) => {
    if (blockMs > 0) await page.evaluate(blockPage, blockMs);
    return visited.measure({ load: "widgets-4", sliceMs: 2000, longestSliceMs: 2000 });
  });
}

test(
  "a page that blocks shows it in the keystrokes, the dropped frames and the longest task",
  { tag: LONG },
  async () => {
    const free = await measure(0);
    const blocked = await measure(120);
    for (const { keyDelaysMs, throughputPerSec, framesToPaint, memoryBytes } of [free, blocked]) {
      expect(keyDelaysMs.length).toBeGreaterThanOrEqual(15);
      expect(Math.min(...keyDelaysMs)).toBeGreaterThan(0);
      expect(throughputPerSec).toBeGreaterThan(10);
      expect(framesToPaint).toBeGreaterThanOrEqual(1);
      expect(memoryBytes).toBeGreaterThan(20e6);
    }
    // A keystroke waits for the frame that shows it: half a frame on average.
    expect(quantileOf(free.keyDelaysMs, 0.5)).toBeGreaterThan(2);
    expect(blocked.longestTaskMs).toBeGreaterThanOrEqual(119);
    expect(quantileOf(blocked.keyDelaysMs, 0.98)).toBeGreaterThan(60);
    expect(quantileOf(blocked.keyDelaysMs, 0.75)).toBeGreaterThan(quantileOf(free.keyDelaysMs, 0.75));
    expect(blocked.droppedFramesPerSec).toBeGreaterThan(15);
    expect(blocked.droppedFramesPerSec).toBeGreaterThan(free.droppedFramesPerSec);
  },
);

test(
  "a lane that never lets the page paint shows it in the dropped frames and the longest task",
  { tag: LONG },
  async () => {
    const slice = await visit("ort-main", (visited) =>
      visited.measure({ load: "closed-4", sliceMs: 300, longestSliceMs: 300 }),
    );
    expect(slice.longestTaskMs).toBeGreaterThanOrEqual(299);
    expect(slice.droppedFramesPerSec).toBeGreaterThan(30);
  },
);
