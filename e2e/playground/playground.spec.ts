import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { axeViolations } from "../support/pages/axe.js";
import { compare, drawOne, openPlayground } from "../support/pages/playground.js";
import { expect, SLOW_ON_GPU, test } from "../support/test.js";

test("a digit drawn with the mouse is recognized, on this browser's backend", async ({
  page,
  playground,
  provider,
}) => {
  // Few tiles and few batch sizes, because a GPU in software is slow.
  await openPlayground(page, playground.url, "?tiles=4&moving=off&maxbatch=4");
  await expect(page.getByTestId("backend")).toContainText(provider === "wasm" ? /wasm/i : /webgpu/i);
  await drawOne(page);
  await expect(page.getByTestId("prediction")).toContainText("1");
});

test(
  "a comparison shows both lanes, and offers the options as code and a report to download",
  { tag: SLOW_ON_GPU },
  async ({ page, playground, provider }) => {
    // Few callers, because a GPU in software is slow.
    await openPlayground(page, playground.url, "?tiles=8&moving=off&maxbatch=8");
    await drawOne(page);
    const empty = await walls(page);
    const comparison = await compare(page);
    const [batched, single] = await walls(page);
    expect(batched).not.toBe(empty[0]);
    expect(single).not.toBe(empty[1]);
    expect(await axeViolations(page)).toEqual([]);
    await expect(comparison).toContainText(/throughput|per second/i);
    await expect(comparison).toContainText(/p50/i);
    await expect(comparison).toContainText(/p99/i);
    await expect(page.getByTestId("verdict")).toContainText(/batching|both ways|no clear winner/i);
    await expect(page.getByTestId("snippet")).toContainText("createBatchedModel(");
    await expect(page.getByTestId("error")).toBeHidden();
    const downloading = page.waitForEvent("download");
    await page.getByTestId("report").click();
    const report = JSON.parse(await readFile(await (await downloading).path(), "utf8"));
    expect(report.verdict.sentence).toBe(await page.getByTestId("verdict").textContent());
    expect(report.lanes.batched.stats.executionProvider).toBe(provider);
    expect(report.lanes.single.stats.batches.byReason.unbatched).toBe(report.lanes.single.stats.batches.count);
  },
);

/** Returns the tiles of the lanes as images. */
function walls(page: Page): Promise<string[]> {
  return page
    .locator("canvas.lane-wall")
    .evaluateAll((found) => found.map((wall) => (wall instanceof HTMLCanvasElement ? wall.toDataURL() : "")));
}
