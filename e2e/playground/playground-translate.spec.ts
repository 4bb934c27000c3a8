import type { Page } from "@playwright/test";
import { axeViolations } from "../support/pages/axe.js";
import { compare } from "../support/pages/playground.js";
import { expect, LONG, test } from "../support/test.js";

const LANES = ["batched", "single"] as const;
type Lane = (typeof LANES)[number];

/** The first sentence of the page. */
const ENGLISH = "The sailor carries a king under the red bridge.";
const DUTCH = "De matroos draagt een koning onder de rode brug.";

test("both sides translate the page before any click, what is in view first, also after scrolling", async ({
  page,
  playground,
}) => {
  await page.goto(`${playground.url}/?scene=translate&backend=wasm`);
  for (const lane of LANES) {
    await expect(sentences(page, lane)).toHaveCount(200);
    await expect(sentences(page, lane).first(), lane).toHaveText(DUTCH);
    await expect.poll(() => figure(page, "done", lane), lane).toBeGreaterThan(0);
  }
  await expect(page.getByTestId("translate-first-view-batched")).toContainText(/\d/);
  await expect.poll(() => figure(page, "together", "batched")).toBeGreaterThan(1);
  expect(await figure(page, "together", "single")).toBe(1);
  await test.step("a sentence that comes into view overtakes the others, on both sides", async () => {
    await page.getByTestId("translate-again").click();
    for (const lane of LANES) await recordOvertaking(page, lane);
    await page.getByTestId("translate-page-batched").evaluate((list) => (list.scrollTop = list.scrollHeight));
    for (const lane of LANES) {
      await expect(sentences(page, lane).last(), lane).toBeInViewport();
      await expect(sentences(page, lane).last(), lane).toHaveAttribute("data-done", "true");
      // In the order of the page, it would be one of the last.
      expect(await page.getByTestId(`translate-page-${lane}`).getAttribute("data-overtaken"), lane).toBe("true");
    }
  });
  await page.getByTestId("moving-switch").click();
  expect(await axeViolations(page)).toEqual([]);
});

test("nothing is translated for users who prefer reduced motion, until they ask", async ({ page, playground }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.goto(`${playground.url}/?scene=translate`);
  await expect(page.getByTestId("moving-switch")).not.toBeChecked();
  await expect(page.getByTestId("backend")).toContainText("No backend yet");
  for (const lane of LANES) await expect(sentences(page, lane).first()).toHaveText(ENGLISH);
  for (const width of [1440, 820, 390, 320]) {
    await page.setViewportSize({ width, height: 844 });
    expect(await overflow(page), `${width} px`).toBeLessThanOrEqual(0);
    expect(await cutSentences(page), `${width} px`).toBe(0);
  }
  await page.setViewportSize({ width: 1100, height: 900 });
});

test("texts can be measured, in the code too", { tag: LONG }, async ({ page, playground }) => {
  await page.goto(`${playground.url}/?scene=translate&tiles=8&moving=off&backend=wasm`);
  await compare(page);
  await expect(page.getByTestId("conditions")).toContainText("translator.onnx, 8 callers");
  await page.getByTestId("show-code").click();
  await expect(page.getByTestId("snippet")).toContainText("model.generate(");
});

/** Notes on the list whether its middle waits when its last sentence is done. A test that looks later may find both done. */
function recordOvertaking(page: Page, lane: Lane): Promise<void> {
  return page.getByTestId(`translate-page-${lane}`).evaluate((list) => {
    const isDone = (sentence: Element | null | undefined): boolean => sentence?.getAttribute("data-done") === "true";
    const observer = new MutationObserver(() => {
      const rows = list.querySelectorAll("li");
      if (!isDone([...rows].at(-1))) return;
      observer.disconnect();
      list.setAttribute("data-overtaken", String(!isDone(rows[100])));
    });
    observer.observe(list, { subtree: true, attributes: true });
  });
}

function sentences(page: Page, lane: Lane) {
  return page.getByTestId(`translate-page-${lane}`).locator("li");
}

/** Returns a figure of a side; `NaN` before the first one. */
async function figure(page: Page, name: string, lane: Lane): Promise<number> {
  const text = await page.getByTestId(`translate-${name}-${lane}`).textContent();
  return Number.parseFloat((text ?? "").replaceAll(",", ""));
}

/** Returns the width of the page beyond its window, in pixels. */
function overflow(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}

/** Returns the number of sentences that are higher than their rows. */
function cutSentences(page: Page): Promise<number> {
  return page
    .locator(".sentence")
    .evaluateAll((rows) => rows.filter((row) => row.scrollHeight > row.clientHeight).length);
}
