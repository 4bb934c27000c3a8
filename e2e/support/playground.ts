import type { Page } from "@playwright/test";
import { expect } from "./test.js";

/** Opens the playground and waits for its model. */
export async function openPlayground(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/`);
  await expect(page.getByTestId("backend")).toContainText(/wasm|webgpu/i);
}

/** One stroke down the middle of the pad. */
export async function drawOne(page: Page): Promise<void> {
  const box = await page.getByTestId("pad").boundingBox();
  if (box === null) throw new Error("the pad is not on the page");
  const middle = box.x + box.width / 2;
  await page.mouse.move(middle, box.y + box.height * 0.2);
  await page.mouse.down();
  await page.mouse.move(middle, box.y + box.height * 0.8, { steps: 12 });
  await page.mouse.up();
}
