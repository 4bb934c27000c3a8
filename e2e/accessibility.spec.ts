import type { Page } from "@playwright/test";
import { axeViolations } from "./support/axe.js";
import { modelIsReady, openPlayground, SCENES, type SceneName } from "./support/playground.js";
import { expect, test } from "./support/test.js";

const WIDTHS = [1440, 820, 390];
const HEIGHT = 900;

/** Controls of the digits, in the order of the page. */
const CONTROLS = [
  "scene-digits",
  "scene-model",
  "pad",
  "tile-count",
  "batching-switch",
  "backend-choice",
  "release",
  "pressure",
  "timeline",
  "compare",
];

test("every scene is within reach of a keyboard, of axe and of a small screen, in light and in dark", async ({
  page,
  playground,
  elsewhere,
}) => {
  const complaints: string[] = [];
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  // Without motion, which would show axe colours half way from one scheme to the other.
  await page.emulateMedia({ reducedMotion: "reduce" });
  await openPlayground(page, playground.url);
  await test.step("the wall rests where the visitor prefers less motion", async () => {
    await expect(page.getByTestId("moving-switch")).not.toBeChecked();
  });
  await test.step("every control is reached by keyboard, in the order of the page", async () => {
    expect(await reachedByKeyboard(page)).toEqual(CONTROLS);
  });
  for (const scene of SCENES) {
    await test.step(`the scene "${scene}" fits, and axe finds nothing wrong with it`, async () => {
      await goToScene(page, scene, `${elsewhere.url}/models/two-inputs.onnx`);
      await expect(page.locator(".instrument-charts")).toBeVisible();
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
        expect(await axeViolations(page)).toEqual([]);
      }
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: HEIGHT });
        // Charts take their new width in a frame after the page has.
        await expect.poll(() => overflow(page), `${width} px`).toBeLessThanOrEqual(0);
      }
    });
  }
  expect(complaints).toEqual([]);
});

test("axe finds nothing wrong with a page without a model, nor with a failure", async ({ page, playground }) => {
  await page.goto(`${playground.url}/?scene=model`);
  await expect(page.getByTestId("drop")).toBeVisible();
  expect(await axeViolations(page)).toEqual([]);
  await useModel(page, "/faults/missing.onnx");
  await expect(page.getByTestId("error")).toBeVisible();
  expect(await axeViolations(page)).toEqual([]);
});

/** The controls that the tab key stops at, up to the last one. */
async function reachedByKeyboard(page: Page): Promise<string[]> {
  const reached: string[] = [];
  while (reached.at(-1) !== CONTROLS.at(-1) && reached.length < 60) {
    await page.keyboard.press("Tab");
    reached.push(await page.evaluate(() => document.activeElement?.getAttribute("data-testid") ?? ""));
  }
  return reached.filter((id) => CONTROLS.includes(id));
}

async function goToScene(page: Page, scene: SceneName, modelUrl: string): Promise<void> {
  await page.getByTestId(`scene-${scene}`).click();
  if (scene === "model") await useModel(page, modelUrl);
  await modelIsReady(page);
  // The other scenes ask of their own accord.
  if (scene === "model") await page.getByTestId("ask-once").click();
}

async function useModel(page: Page, address: string): Promise<void> {
  await page.getByTestId("model-address").fill(address);
  await page.getByTestId("load-address").click();
}

/** How far the page is wider than its window, in pixels. */
function overflow(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}
