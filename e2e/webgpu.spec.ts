import { expectNothingLost, keepAsking } from "./support/endurance.js";
import { MODEL_PATHS } from "./support/site.js";
import { expect, test } from "./support/test.js";

test("where there is a GPU the model runs on it, and names it", async ({ harness }) => {
  const stats = await harness.evaluate(async (url) => {
    const model = await window.harness.createBatchedModel(url);
    return model.stats();
  }, MODEL_PATHS["mlp-tiny"]);
  expect(stats.executionProvider).toBe("webgpu");
  expect(stats.adapter).toMatch(/\w/);
  expect(stats.providerTrials).toMatchObject([{ provider: "webgpu", chosen: true }]);
});

test("two models answer at the same time", async ({ harness }) => {
  const counts = await harness.evaluate(async (url) => {
    const { createBatchedModel, itemsFor } = window.harness;
    const models = await Promise.all([createBatchedModel(url), createBatchedModel(url)]);
    const items = itemsFor("mlp-tiny", 32);
    const answers = await Promise.all(models.map((model) => Promise.all(items.map((item) => model.predict(item)))));
    return answers.map((outputs) => outputs.length);
  }, MODEL_PATHS["mlp-tiny"]);
  expect(counts).toEqual([32, 32]);
});

test("when the GPU process crashes, the model comes back and answers what was open", async ({
  playwright,
  launchOptions,
  home,
}) => {
  // A browser of its own: each one counts its crashes, and keeps pages off the GPU after a few.
  const browser = await playwright.chromium.launch(launchOptions);
  const page = await browser.newPage();
  await page.goto(`${home.url}/harness.html`);
  await page.waitForFunction(() => "harness" in window);
  await keepAsking(page);
  const session = await browser.newBrowserCDPSession();
  await session.send("Browser.crashGpuProcess");
  await expectNothingLost(page);
  await browser.close();
});
