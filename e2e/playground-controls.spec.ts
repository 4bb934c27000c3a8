import { expect, test } from "./support/test.js";
import { drawOne, modelIsReady, openPlayground } from "./support/playground.js";

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

test("every setting is in the address, and comes back with it", async ({ page, playground, context }) => {
  await openPlayground(page, playground.url);
  await page.getByTestId("tile-count").fill("9");
  await page.getByTestId("release").selectOption("window");
  await page.getByTestId("pace").selectOption("frame");
  await page.getByTestId("max-batch").fill("3");
  await page.getByTestId("pressure").fill("4");
  await page.getByTestId("batching-switch").click();
  await expect(page).toHaveURL(/tiles=9&batching=off&release=window&maxbatch=8&pace=frame&pressure=4/);
  const other = await context.newPage();
  await other.goto(page.url());
  await modelIsReady(other);
  await expect(other.getByTestId("tiles").locator("> *")).toHaveCount(9);
  await expect(other.getByTestId("release")).toHaveValue("window");
  await expect(other.getByTestId("max-batch")).toHaveValue("3");
  await expect(other.getByTestId("pressure")).toHaveValue("4");
  await expect(other.getByTestId("batching-switch")).not.toBeChecked();
});

test("scenes are pages of the browser's history, and the settings go along", async ({ page, playground }) => {
  await openPlayground(page, playground.url, "?tiles=16");
  await page.getByTestId("scene-model").click();
  await expect(page).toHaveURL(/scene=model/);
  await expect(page.getByTestId("tile-count")).toHaveValue("16");
  await page.goBack();
  await expect(page.getByTestId("pad")).toBeVisible();
  await expect(page.getByTestId("scene-digits")).toHaveAttribute("aria-current", "page");
  await modelIsReady(page);
  await expect(page.getByTestId("prediction")).toContainText(/\d/);
});

test("the largest batch that was set is never exceeded", async ({ page, playground }) => {
  await openPlayground(page, playground.url, "?maxbatch=4");
  const raw = page.getByTestId("raw-stats");
  await expect(raw).not.toHaveText("null");
  const { batchSize } = JSON.parse((await raw.textContent()) ?? "");
  expect(batchSize.max).toBeLessThanOrEqual(4);
  expect(batchSize.max).toBeGreaterThan(1);
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
