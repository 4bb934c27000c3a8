import { Buffer } from "node:buffer";
import type { Page } from "@playwright/test";
import { generateModel } from "@framebatch/models/generate";
import { modelIsReady } from "../support/pages/playground.js";
import { expect, test } from "../support/test.js";

const MARKUP = '<img src=x onerror="window.wasTaken=true">';

// The author of a model file chooses the names in it, so they may contain markup.
test("markup in a model's address, file name and tensor names is shown as text", async ({ page, playground }) => {
  await page.goto(`${playground.url}/?scene=model&tiles=1&moving=off&model=${encodeURIComponent(`/${MARKUP}.onnx`)}`);
  await expect(page.getByTestId("error")).toBeVisible();
  await expectNothingTaken(page);
  const file = {
    name: `${MARKUP}.onnx`,
    mimeType: "application/octet-stream",
    buffer: Buffer.from(generateModel("names-of-markup").bytes),
  };
  await page.getByTestId("model-file").setInputFiles(file);
  await modelIsReady(page);
  await expect(page.getByTestId("facts")).toContainText(`${MARKUP}in`);
  await expect(page.getByTestId("facts")).toContainText(`${MARKUP}out`);
  await expectNothingTaken(page);
});

async function expectNothingTaken(page: Page): Promise<void> {
  expect(await page.locator("img[onerror]").count()).toBe(0);
  expect(await page.evaluate(() => "wasTaken" in window)).toBe(false);
}
