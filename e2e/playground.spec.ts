import { expect, test } from "./support/test.js";
import { drawOne, openPlayground } from "./support/playground.js";

test("a digit drawn with the mouse is read, on the backend of this browser", async ({ page, playground, provider }) => {
  await openPlayground(page, playground.url);
  await expect(page.getByTestId("backend")).toContainText(provider === "wasm" ? /wasm/i : /webgpu/i);
  await drawOne(page);
  await expect(page.getByTestId("prediction")).toContainText("1");
});

test("comparing shows both ways side by side", async ({ page, playground }) => {
  await openPlayground(page, playground.url);
  await drawOne(page);
  await page.getByTestId("compare").click();
  const comparison = page.getByTestId("comparison");
  await expect(comparison).toContainText(/throughput|per second/i);
  await expect(comparison).toContainText(/p50/i);
  await expect(comparison).toContainText(/p99/i);
  await expect(page.getByTestId("error")).toBeHidden();
});
