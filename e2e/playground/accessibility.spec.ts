import type { Page } from "@playwright/test";
import { axeViolations, colorViolations } from "../support/pages/axe.js";
import { modelIsReady, openPlayground, SCENES, type SceneName } from "../support/pages/playground.js";
import { expect, IS_COMPLETE, LONG, test } from "../support/test.js";

const WIDTHS = IS_COMPLETE ? [1440, 1200, 1000, 820, 700, 600, 390, 320] : [1440, 320];
const HEIGHT = 900;

/** The controls of the scene "digits", in the order of the page. */
const CONTROLS = [
  "scene-digits",
  "scene-model",
  "compare",
  "pad",
  "tile-count",
  "batching-switch",
  "backend-choice",
  "release",
  "pressure",
  "timeline",
];

test("every scene is accessible by keyboard, passes axe and fits small screens, in light and dark mode", async ({
  page,
  playground,
  elsewhere,
}) => {
  const complaints: string[] = [];
  page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  // Disables transitions: otherwise axe could measure colors between the two color schemes.
  await page.emulateMedia({ reducedMotion: "reduce" });
  await openPlayground(page, playground.url, "?tiles=8");
  await test.step("the wall does not move for users who prefer reduced motion", async () => {
    await expect(page.getByTestId("moving-switch")).not.toBeChecked();
  });
  await test.step("the Tab key reaches every control, in the order of the page", async () => {
    expect(await reachedByKeyboard(page)).toEqual(CONTROLS);
  });
  for (const scene of SCENES) {
    await test.step(`the scene "${scene}" fits every width, with its question in the first view, and passes axe`, async () => {
      await goToScene(page, scene, `${elsewhere.url}/models/two-inputs.onnx`);
      if (!showsBothWays(scene)) await expect(page.locator(".instrument-charts")).toBeVisible();
      await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
      // The tests of scenes that show both ways run axe, too, when their figures are there.
      if (IS_COMPLETE || !showsBothWays(scene)) expect(await axeViolations(page)).toEqual([]);
      await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
      expect(await colorViolations(page)).toEqual([]);
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: HEIGHT });
        // Charts resize one frame after the page.
        await expect.poll(() => overflow(page), `${width} px`).toBeLessThanOrEqual(0);
        expect(await endOfQuestion(page), `${width} px`).toBeLessThanOrEqual(HEIGHT);
      }
    });
  }
  expect(complaints).toEqual([]);
});

test(
  "the tabs of the scenes stand in two rows on phones, whichever is the current one",
  { tag: LONG },
  async ({ page, playground }) => {
    await page.goto(`${playground.url}/?moving=off`);
    for (const width of [390, 320]) {
      await page.setViewportSize({ width, height: HEIGHT });
      for (const scene of SCENES) {
        await page.getByTestId(`scene-${scene}`).click();
        expect(await tabsInRows(page), `${scene}, ${width} px`).toEqual([4, 3]);
      }
    }
    await page.setViewportSize({ width: 1100, height: HEIGHT });
  },
);

/** Returns the number of tabs in each row. */
function tabsInRows(page: Page): Promise<number[]> {
  return page.locator(".tab").evaluateAll((tabs) => {
    const tops = tabs.map((tab) => tab.getBoundingClientRect().top);
    return [...new Set(tops)].map((top) => tops.filter((other) => other === top).length);
  });
}

test("a page without a model, and a page with an error, pass axe", async ({ page, playground }) => {
  await page.goto(`${playground.url}/?scene=model`);
  await expect(page.getByTestId("drop")).toBeVisible();
  expect(await axeViolations(page)).toEqual([]);
  await useModel(page, "/faults/missing.onnx");
  await expect(page.getByTestId("error")).toBeVisible();
  expect(await axeViolations(page)).toEqual([]);
});

/** Returns the controls that the Tab key reaches, up to the last one. */
async function reachedByKeyboard(page: Page): Promise<string[]> {
  const reached: string[] = [];
  while (reached.at(-1) !== CONTROLS.at(-1) && reached.length < 60) {
    await page.keyboard.press("Tab");
    reached.push(await page.evaluate(() => document.activeElement?.getAttribute("data-testid") ?? ""));
  }
  return reached.filter((id) => CONTROLS.includes(id));
}

/** True for scenes that show both ways, where the page sees no activity. */
function showsBothWays(scene: SceneName): boolean {
  return scene === "cars" || scene === "streams" || scene === "translate";
}

async function goToScene(page: Page, scene: SceneName, modelUrl: string): Promise<void> {
  await page.getByTestId(`scene-${scene}`).click();
  if (scene === "model") await useModel(page, modelUrl);
  // With reduced motion, nothing moves and no model loads.
  if (showsBothWays(scene)) return expect(page.getByTestId(`${scene}-single`)).toBeVisible();
  await modelIsReady(page);
  // The other scenes send requests automatically.
  if (scene === "model") await page.getByTestId("ask-once").click();
}

async function useModel(page: Page, address: string): Promise<void> {
  await page.getByTestId("model-address").fill(address);
  await page.getByTestId("load-address").click();
}

/** Returns the distance from the top of the page to the end of the button that asks whether batching pays, in pixels. */
function endOfQuestion(page: Page): Promise<number> {
  return page.getByTestId("compare").evaluate((button) => button.getBoundingClientRect().bottom + scrollY);
}

/** Returns the width of the page beyond its window, in pixels. */
function overflow(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}
