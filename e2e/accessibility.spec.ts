import { axeViolations } from "./support/axe.js";
import { openPlayground, openScene, SCENES } from "./support/playground.js";
import { expect, test } from "./support/test.js";

for (const scene of SCENES) {
  test(`axe finds nothing wrong with the scene "${scene}" in light and in dark colours`, async ({
    page,
    playground,
    elsewhere,
  }) => {
    await openScene(page, playground.url, scene, `${elsewhere.url}/models/two-inputs.onnx`);
    await expect(page.locator(".instrument-charts")).toBeVisible();
    for (const colorScheme of ["light", "dark"] as const) {
      // Without motion, which would show axe colours half way from one scheme to the other.
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      expect(await axeViolations(page)).toEqual([]);
    }
  });
}

test("axe finds nothing wrong with a page without a model, nor with a failure", async ({ page, playground }) => {
  await page.goto(`${playground.url}/?scene=model`);
  await expect(page.getByTestId("drop")).toBeVisible();
  expect(await axeViolations(page)).toEqual([]);
  await page.getByTestId("model-address").fill("/faults/missing.onnx");
  await page.getByTestId("load-address").click();
  await expect(page.getByTestId("error")).toBeVisible();
  expect(await axeViolations(page)).toEqual([]);
});

test("every control of a scene is reached by keyboard, in the order of the page", async ({ page, playground }) => {
  await openPlayground(page, playground.url);
  const reached: string[] = [];
  while (reached.at(-1) !== "compare" && reached.length < 60) {
    await page.keyboard.press("Tab");
    const id = await page.evaluate(() => document.activeElement?.getAttribute("data-testid") ?? "");
    reached.push(id);
  }
  const wanted = [
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
  expect(reached.filter((id) => wanted.includes(id))).toEqual(wanted);
});

test("the wall rests where the visitor prefers less motion", async ({ page, playground }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await openPlayground(page, playground.url);
  await expect(page.getByTestId("moving-switch")).not.toBeChecked();
});
