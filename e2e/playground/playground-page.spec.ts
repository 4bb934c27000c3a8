import type { Page } from "@playwright/test";
import { axeViolations, colorViolations } from "../support/pages/axe.js";
import { modelIsReady } from "../support/pages/playground.js";
import { expect, LONG, test } from "../support/test.js";

const LINES = ["All human beings are born", "free and equal"];

test("the page reader opens with its sample, and a dot shows the frames of the page", async ({ page, playground }) => {
  await page.goto(`${playground.url}/?scene=page&backend=wasm&tiles=1`);
  await expect(page.getByTestId("page-drop")).toContainText("Sample page");
  await expect(page.getByTestId("free-page")).toContainText(/\d+ a second, at most/);
  const dot = page.locator(".free-dot");
  const before = await dot.getAttribute("style");
  await expect(dot).not.toHaveAttribute("style", before ?? "");
  for (const width of [1440, 820, 390, 320]) {
    await page.setViewportSize({ width, height: 900 });
    await expect.poll(() => overflow(page), `${width} px`).toBeLessThanOrEqual(0);
  }
});

test(
  "the lines of the sample are measured, and another picture makes the result outdated",
  { tag: LONG },
  async ({ page, playground }) => {
    let sendDetector = (): void => {};
    const mayArrive = new Promise<void>((resolve) => (sendDetector = resolve));
    await page.route(/det_infer.*\.onnx/, (route) => mayArrive.then(() => route.continue()));
    await page.goto(`${playground.url}/?scene=page&backend=wasm&tiles=1`);
    await expect(page.getByTestId("verdict")).toContainText("First, the lines of the picture are found.");
    await expect(page.getByTestId("compare")).toBeDisabled();
    sendDetector();
    await page.getByTestId("compare").click();
    const card = page.getByTestId("verdict-card");
    await expect(card).toHaveAttribute("data-phase", "done");
    await page.getByTestId("batching-switch").click();
    await expect(page.getByTestId("batching-switch")).not.toBeChecked();
    await expect(card).toHaveAttribute("data-outdated", "false");
    await pastePicture(page, LINES);
    await expect(card).toHaveAttribute("data-outdated", "true");
  },
);

test(
  "a pasted picture is read line by line, its text can be selected and copied, and the scene passes axe",
  { tag: LONG },
  async ({ page, playground }) => {
    await page.emulateMedia({ reducedMotion: "reduce" });
    await page.goto(`${playground.url}/?scene=page&tiles=2&backend=wasm`);
    await modelIsReady(page);
    expect(await axeViolations(page)).toEqual([]);
    await pastePicture(page, LINES);
    const lines = page.locator(".page-line");
    await expect(lines).toHaveText(LINES);
    const boxes = page.getByTestId("page-boxes").locator("polygon[data-read=true]");
    await expect(boxes).toHaveCount(LINES.length);
    await expect(page.getByTestId("page-status")).toContainText("2 lines in");
    await test.step("a line is selected in the picture and in the text", async () => {
      await boxes.first().hover();
      await expect(lines.first()).toHaveAttribute("data-selected", "true");
      await lines.last().hover();
      await expect(boxes.last()).toHaveAttribute("data-selected", "true");
    });
    await test.step("each width has its own batches", async () => {
      await expect(page.getByTestId("page-widths").locator(".width-row")).toHaveCount(2);
    });
    await test.step("the text can be copied", async () => {
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      await page.getByTestId("copy-text").click();
      await expect(page.getByTestId("copy-text")).toHaveText("Copied");
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(LINES.join("\n"));
    });
    await test.step("a reading that a comparison stops begins again after it", async () => {
      await pastePicture(page, LINES);
      await page.getByTestId("compare").click();
      await page.getByTestId("stop").click();
      await expect(lines).toHaveText(LINES);
      await expect(page.getByTestId("page-status")).toContainText("2 lines in");
    });
    expect(await axeViolations(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
    expect(await colorViolations(page)).toEqual([]);
    for (const width of [1440, 820, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await expect.poll(() => overflow(page), `${width} px`).toBeLessThanOrEqual(0);
    }
    await expect(page.getByTestId("error")).toBeHidden();
  },
);

function pastePicture(page: Page, lines: readonly string[]): Promise<void> {
  return page.evaluate(async (texts) => {
    const canvas = new OffscreenCanvas(416, 128);
    const context = canvas.getContext("2d", { alpha: false });
    if (context === null) throw new Error("expected a 2D canvas");
    context.fillStyle = "white";
    context.fillRect(0, 0, 416, 128);
    context.fillStyle = "black";
    context.font = "26px sans-serif";
    texts.forEach((text, index) => context.fillText(text, 24, 46 + 50 * index));
    const clipboardData = new DataTransfer();
    clipboardData.items.add(new File([await canvas.convertToBlob()], "lines.png", { type: "image/png" }));
    document.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true }));
  }, lines);
}

/** Returns the width of the page beyond its window, in pixels. */
function overflow(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}
