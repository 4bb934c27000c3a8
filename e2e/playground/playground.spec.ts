import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { axeViolations } from "../support/pages/axe.js";
import { compare, drawOne, openPlayground } from "../support/pages/playground.js";
import { expect, SLOW_ON_GPU, test } from "../support/test.js";
import type { TestedProvider } from "../support/tested-provider.js";

/** The page uses a GPU in software only if its link says so. */
function backendOf(provider: TestedProvider): string {
  return provider === "webgpu" ? "backend=webgpu" : "";
}

/** The tests' own browser has its GPU in software; another one that they are given may have a real one. */
async function isInSoftware(page: Page, provider: TestedProvider): Promise<boolean> {
  if (provider !== "webgpu") return false;
  return page.evaluate(async () => (await navigator.gpu.requestAdapter())?.info.isFallbackAdapter === true);
}

test(
  "a drawn digit is recognized, and a comparison shows both lanes, and offers the options as code and a report to download",
  { tag: SLOW_ON_GPU },
  async ({ page, playground, provider }) => {
    // Few callers, because a GPU in software is slow.
    await openPlayground(page, playground.url, `?tiles=8&moving=off&maxbatch=8&${backendOf(provider)}`);
    await test.step("a digit drawn with the mouse is recognized, on this browser's backend", async () => {
      await expect(page.getByTestId("backend")).toContainText(provider === "wasm" ? /wasm/i : /webgpu/i);
      // Of a GPU in software the page says so.
      await expect(page.getByTestId("use-wasm")).toHaveCount((await isInSoftware(page, provider)) ? 1 : 0);
      await drawOne(page);
      await expect(page.getByTestId("prediction")).toContainText("1");
    });
    const empty = await walls(page);
    await recordAnnouncements(page);
    const comparison = await compare(page);
    const [batched, single] = await walls(page);
    expect(batched).not.toBe(empty[0]);
    expect(single).not.toBe(empty[1]);
    await expect(comparison).toContainText(/throughput|per second/i);
    await expect(comparison).toContainText(/p50/i);
    await expect(comparison).toContainText(/p99/i);
    await expect(page.getByTestId("headline")).toContainText(/^(Yes|No|It depends|Unclear)/);
    await expect(page.getByTestId("verdict")).toContainText(/batching|both ways/i);
    await expect(page.getByTestId("conditions")).toContainText("digits.onnx, 8 callers");
    expect(await announcements(page)).toEqual([
      "The comparison runs.",
      "The comparison is halfway.",
      expect.stringContaining((await page.getByTestId("verdict").textContent()) ?? ""),
    ]);
    await expect(page.getByTestId("conditions")).toContainText(/Noise here: ±[\d.]+\s%, off against off/);
    await expect(page.getByTestId("ways")).toContainText("Used here.");
    await test.step("the slices have an axis, and the legend of the curves the lines of each lane", async () => {
      const [highest, zero] = await page.locator(".strip-axis span").allTextContents();
      expect([Number(highest?.replace(/\D/g, "")) > 0, zero]).toEqual([true, "0"]);
      const lines = page.locator(".u-legend .u-series:not(:first-child) .u-marker");
      expect(await lines.evaluateAll((all) => all.map((line) => getComputedStyle(line).borderTopStyle))).toEqual([
        "solid",
        "dashed",
      ]);
    });
    await page.getByTestId("show-code").click();
    await expect(page.getByTestId("snippet")).toContainText("createBatchedModel(");
    expect(await axeViolations(page)).toEqual([]);
    await expect(page.getByTestId("error")).toBeHidden();
    const downloading = page.waitForEvent("download");
    await page.getByTestId("report").click();
    const report = JSON.parse(await readFile(await (await downloading).path(), "utf8"));
    expect(report.verdict.sentence).toBe(await page.getByTestId("verdict").textContent());
    expect(report.lanes.batched.stats.executionProvider).toBe(provider);
    expect(report.lanes.single.stats.batches.byReason.unbatched).toBe(report.lanes.single.stats.batches.count);
    await test.step("the race replays both lanes at their recorded pace, and passes axe", async () => {
      await page.getByTestId("show-race").click();
      await expect(page.getByTestId("race-result")).toContainText(/Batching on: .+ Batching off: .+/);
      const totals = await raceTotals(page);
      for (const lane of ["batched", "single"] as const) {
        // Three seconds may end within the repeated slice, whose answers may come early or late in it.
        const rates = ratesOf(report.slices, lane);
        expect(totals[lane], lane).toBeGreaterThan(0.5 * 3 * Math.min(...rates));
        expect(totals[lane], lane).toBeLessThan(1.5 * 3 * Math.max(...rates));
      }
      expect(await axeViolations(page)).toEqual([]);
      await page.setViewportSize({ width: 390, height: 900 });
      // Charts resize one frame after the page.
      await expect.poll(() => overflow(page)).toBeLessThanOrEqual(0);
      await page.emulateMedia({ reducedMotion: "reduce" });
      await startRace(page);
      expect(await raceTotals(page), "with reduced motion, the end comes at once").toEqual(totals);
      await page.emulateMedia({ reducedMotion: "no-preference" });
    });
    await test.step("the result can be saved as an image", async () => {
      await page.getByTestId("show-image").click();
      const saving = page.waitForEvent("download");
      await page.getByTestId("save-image").click();
      const image = await readFile(await (await saving).path());
      expect(image.subarray(1, 4).toString("latin1")).toBe("PNG");
      expect([image.readUInt32BE(16), image.readUInt32BE(20)]).toEqual([1200, 630]);
    });
    await test.step("a link shows the result beside the visitor's own, and with the image passes axe", async () => {
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      await page.getByTestId("copy-link").click();
      await expect(page.getByTestId("copy-link")).toHaveText("Copied");
      const headline = (await page.getByTestId("headline").textContent()) ?? "";
      const link = await page.evaluate(() => navigator.clipboard.readText());
      await page.evaluate((address) => history.pushState(null, "", address), link);
      await page.evaluate(() => dispatchEvent(new PopStateEvent("popstate")));
      const shared = page.getByTestId("shared");
      await expect(shared.getByTestId("headline")).toHaveText(headline);
      for (const id of ["verdict", "verdict-facts"]) {
        const words = (await page.getByTestId("verdict-card").getByTestId(id).textContent()) ?? "";
        await expect(shared.getByTestId(id)).toHaveText(words);
      }
      await expect(shared).toContainText("digits.onnx, 8 callers");
      await expect(page.getByTestId("result-image")).toBeVisible();
      expect(await axeViolations(page)).toEqual([]);
      await page.getByTestId("dismiss-shared").click();
      await expect(shared).toBeHidden();
    });
    await test.step("a change of the settings dims the result and says so", async () => {
      // Without transitions, whose colors axe could measure.
      await page.emulateMedia({ reducedMotion: "reduce" });
      const card = page.getByTestId("verdict-card");
      await expect(card).toHaveAttribute("data-outdated", "false");
      await page.getByTestId("tile-count").fill("9");
      await expect(card).toHaveAttribute("data-outdated", "true");
      await expect(page.getByTestId("conditions")).toContainText("measure again");
      expect(await axeViolations(page)).toEqual([]);
      await page.getByTestId("tile-count").fill("8");
      await expect(card).toHaveAttribute("data-outdated", "false");
    });
  },
);

/** The texts of the live region of the verdict, in the order in which they were announced. */
declare const announced: string[];

function recordAnnouncements(page: Page): Promise<void> {
  return page.getByTestId("announcement").evaluate((region) => {
    const texts: string[] = [];
    Object.assign(globalThis, { announced: texts });
    new MutationObserver(() => texts.push(region.textContent)).observe(region, {
      childList: true,
      characterData: true,
      subtree: true,
    });
  });
}

async function announcements(page: Page): Promise<string[]> {
  const texts = await page.evaluate(() => announced);
  // A result that is unclear at first is extended, which depends on the machine.
  const usual = texts.filter((text) => text !== "" && !text.startsWith("Still unclear"));
  return usual.filter((text, index) => text !== usual[index - 1]);
}

/** Returns the width of the page beyond its window, in pixels. */
function overflow(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}

/** Starts the race, and returns three frames later. */
function startRace(page: Page): Promise<void> {
  return page.getByTestId("watch-race").evaluate(async (button) => {
    button.dispatchEvent(new MouseEvent("click"));
    for (let frame = 0; frame < 3; frame++) await new Promise((resolve) => requestAnimationFrame(resolve));
  });
}

type LaneName = "batched" | "single";

/** Returns the number of answers that each lane of the race shows. */
async function raceTotals(page: Page): Promise<Record<LaneName, number>> {
  const total = async (lane: LaneName): Promise<number> =>
    Number.parseInt(((await page.getByTestId(`race-${lane}`).textContent()) ?? "").replaceAll(",", ""), 10);
  return { batched: await total("batched"), single: await total("single") };
}

/** Returns the throughput of each of a lane's slices, in answers per second. */
function ratesOf(slices: { lane: LaneName; throughput: number }[], lane: LaneName): number[] {
  return slices.filter((slice) => slice.lane === lane).map(({ throughput }) => throughput);
}

/** Returns the tiles of the lanes as images. */
function walls(page: Page): Promise<string[]> {
  return page
    .locator("canvas.lane-wall")
    .evaluateAll((found) => found.map((wall) => (wall instanceof HTMLCanvasElement ? wall.toDataURL() : "")));
}
