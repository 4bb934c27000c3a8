import type { Page } from "@playwright/test";
import { axeViolations } from "../support/pages/axe.js";
import { compare } from "../support/pages/playground.js";
import { expect, LONG, test } from "../support/test.js";

const LANES = ["batched", "single"] as const;
type Lane = (typeof LANES)[number];

test("both sides hear their streams before any click: with batching several in a run, without it one", async ({
  page,
  playground,
}) => {
  await page.goto(`${playground.url}/?scene=streams&streams=16`);
  for (const lane of LANES) {
    await expect.poll(() => figure(page, "heard", lane), lane).toBeGreaterThan(0);
    const before = await picture(page, lane);
    await expect.poll(() => picture(page, lane), lane).not.toEqual(before);
  }
  await expect.poll(() => figure(page, "together", "batched")).toBeGreaterThan(1);
  expect(await figure(page, "together", "single")).toBe(1);
  await expect(page.getByTestId("stream-count-limits")).toContainText("In real time, batching");
  await page.getByTestId("moving-switch").click();
  expect(await axeViolations(page)).toEqual([]);
  await page.getByTestId("stream-count").press("End");
  await expect(page.getByTestId("stream-count")).toHaveAttribute("aria-valuetext", "512 streams");
  await page.getByTestId("stream-count").press("Home");
  await expect(page).toHaveURL(/streams=4/);
});

test(
  "the figures of both sides keep apart on phones, and nothing touches the controls",
  { tag: LONG },
  async ({ page, playground }) => {
    await page.goto(`${playground.url}/?scene=streams&moving=off`);
    await expect(page.getByTestId("streams-single")).toBeVisible();
    for (const width of [820, 430, 390, 320]) {
      await page.setViewportSize({ width, height: 844 });
      expect.soft(await narrowestGap(page), `${width} px`).toBeGreaterThanOrEqual(3);
      const words = await page.getByTestId("stream-count-limits").boundingBox();
      const button = await page.getByTestId("microphone").boundingBox();
      if (words === null || button === null) throw new Error("the controls are not on the page");
      expect.soft(button.y - words.y - words.height, `${width} px`).toBeGreaterThanOrEqual(4);
    }
    await page.setViewportSize({ width: 1100, height: 900 });
  },
);

test("a switch that is off has its knob in forced colours too", async ({ page, playground }) => {
  await page.emulateMedia({ forcedColors: "active" });
  await page.goto(`${playground.url}/?scene=streams&moving=off`);
  const [knob, ground] = await page
    .getByTestId("moving-switch")
    .evaluate((input) => [
      getComputedStyle(input, "::before").backgroundColor,
      getComputedStyle(document.body).backgroundColor,
    ]);
  expect(knob).not.toBe(ground);
  await page.emulateMedia({ forcedColors: "none" });
});

test(
  "the first stream can be the microphone, and the page says if it cannot",
  { tag: LONG },
  async ({ page, playground }) => {
    // A browser without a screen has no microphone.
    await page.addInitScript(() => {
      navigator.mediaDevices.getUserMedia = () =>
        Promise.resolve(new AudioContext().createMediaStreamDestination().stream);
    });
    await page.goto(`${playground.url}/?scene=streams&streams=4`);
    await expect.poll(() => figure(page, "heard", "batched")).toBeGreaterThan(0);
    const button = page.getByTestId("microphone");
    await button.click();
    await expect(page.getByText("The first stream is your microphone")).toBeVisible();
    await expect(button).toHaveAttribute("aria-pressed", "true");
    await button.click();
    await expect(page.getByText("The first stream can be your microphone")).toBeVisible();
    await page.evaluate(() => {
      navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException("", "NotFoundError"));
    });
    await button.click();
    await expect(page.getByText("This device has no microphone.")).toBeVisible();
  },
);

test("streams can be measured: each is a sequence, in the code too", { tag: LONG }, async ({ page, playground }) => {
  await page.goto(`${playground.url}/?scene=streams&streams=4&moving=off`);
  await compare(page);
  await expect(page.getByTestId("conditions")).toContainText("voices.onnx, 4 callers");
  await page.getByTestId("show-code").click();
  await expect(page.getByTestId("snippet")).toContainText("model.sequence()");
});

/** Gives every figure a long text, and returns the least distance between two in a row and to the page's edge, in px. */
function narrowestGap(page: Page): Promise<number> {
  return page.locator(".world-figure dd").evaluateAll((figures) => {
    const boxes = figures.map((shown) => {
      shown.textContent = "11.2\u00A0ms";
      const text = document.createRange();
      text.selectNodeContents(shown);
      return text.getBoundingClientRect();
    });
    const gaps = boxes.map(({ left: start, right, top }) => {
      const after = boxes.filter((other) => other.top === top && other.left > start);
      return Math.min(document.documentElement.clientWidth, ...after.map(({ left }) => left)) - right;
    });
    return Math.min(...gaps);
  });
}

/** Returns a figure of a side; `NaN` before the first one. */
async function figure(page: Page, name: string, lane: Lane): Promise<number> {
  const text = await page.getByTestId(`streams-${name}-${lane}`).textContent();
  return Number.parseFloat((text ?? "").replaceAll(",", ""));
}

/** Returns what a side looks like. */
async function picture(page: Page, lane: Lane): Promise<string> {
  return (await page.getByTestId(`streams-world-${lane}`).screenshot()).toString("base64");
}
