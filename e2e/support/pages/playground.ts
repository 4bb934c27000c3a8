import { readFile } from "node:fs/promises";
import path from "node:path";
import type { Locator, Page } from "@playwright/test";
import { expect } from "../test.js";

export const SCENES = ["cars", "digits", "languages", "streams", "translate", "model"] as const;
export type SceneName = (typeof SCENES)[number];

/** Opens the playground, in the scene "digits" unless the query selects another, and waits for its model. */
export async function openPlayground(page: Page, url: string, query = ""): Promise<void> {
  await page.goto(
    `${url}/?${new URLSearchParams({ scene: "digits", ...Object.fromEntries(new URLSearchParams(query)) })}`,
  );
  await modelIsReady(page);
}

/** Opens a scene and waits for its model. The scene "Your model" loads `modelUrl`. */
export function openScene(page: Page, url: string, scene: SceneName, modelUrl: string): Promise<void> {
  const model = scene === "model" ? `&model=${encodeURIComponent(modelUrl)}` : "";
  return openPlayground(page, url, `?scene=${scene}${model}`);
}

export function modelIsReady(page: Page): Promise<void> {
  return expect(page.getByTestId("backend")).toContainText(/wasm|webgpu/i);
}

/** Draws a vertical stroke in the middle of the pad: the digit 1. */
export async function drawOne(page: Page): Promise<void> {
  const box = await page.getByTestId("pad").boundingBox();
  if (box === null) throw new Error("the pad is not on the page");
  const middle = box.x + box.width / 2;
  await page.mouse.move(middle, box.y + box.height * 0.2);
  await page.mouse.down();
  await page.mouse.move(middle, box.y + box.height * 0.8, { steps: 12 });
  await page.mouse.up();
}

/** Runs a comparison, and returns its element when it is visible. */
export async function compare(page: Page): Promise<Locator> {
  await page.getByTestId("compare").click();
  const comparison = page.getByTestId("comparison");
  await expect(comparison).toBeVisible();
  return comparison;
}

/** Drops a file on the page, which takes files anywhere. */
export async function dropFile(page: Page, file: string): Promise<void> {
  const content = { name: path.basename(file), bytes: [...(await readFile(file))] };
  const data = await page.evaluateHandle(({ name, bytes }) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([new Uint8Array(bytes)], name));
    return transfer;
  }, content);
  await page.locator("body").dispatchEvent("drop", { dataTransfer: data });
}
