import { expect, test } from "./support/test.js";
import { drawOne, openPlayground } from "./support/playground.js";

test("batching is switched off and on while it runs", async ({ page, playground }) => {
  await openPlayground(page, playground.url);
  const batching = page.getByTestId("batching-switch");
  await expect(batching).toBeChecked();
  await batching.click();
  await expect(batching).not.toBeChecked();
  await drawOne(page);
  await expect(page.getByTestId("prediction")).toContainText("1");
  await batching.click();
  await expect(batching).toBeChecked();
});

test("the slider sets how many variants are classified", async ({ page, playground }) => {
  await openPlayground(page, playground.url);
  const slider = page.getByTestId("tile-count");
  await slider.fill("1");
  await expect(page.getByTestId("tiles").locator("> *")).toHaveCount(1);
  await slider.fill("256");
  await expect(page.getByTestId("tiles").locator("> *")).toHaveCount(256);
  await drawOne(page);
  await expect(page.getByTestId("prediction")).toContainText("1");
});

const BROKEN = [
  { what: "is missing", path: "/faults/missing.onnx", says: /404/ },
  { what: "is an HTML page", path: "/faults/page.onnx", says: /html/i },
  { what: "is no ONNX file", path: "/faults/noise.onnx", says: /onnx/i },
];

for (const { what, path, says } of BROKEN) {
  test(`a model that ${what} gives a message in plain words`, async ({ page, playground }) => {
    await page.goto(`${playground.url}/?model=${encodeURIComponent(path)}`);
    const error = page.getByTestId("error");
    await expect(error).toBeVisible();
    await expect(error).toContainText(says);
    await expect(error).not.toContainText(/\bat .+:\d+:\d+/);
    await expect(page.getByTestId("pad")).toBeVisible();
  });
}
