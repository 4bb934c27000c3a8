import { MODEL_PATHS } from "../support/sites/site.js";
import { expect, test } from "../support/test.js";
import { UnmanagedTab } from "../support/pages/unmanaged-tab.js";

test("requests in a hidden tab are answered, although it has no animation frames", async ({ browser, home }) => {
  const tab = await UnmanagedTab.open(browser, `${home.url}/harness.html`);
  await expect.poll(() => tab.evaluate(`"harness" in window`)).toBe(true);
  await tab.evaluate(
    `harness.createBatchedModel("${MODEL_PATHS["mlp-tiny"]}", { executionProviders: ["wasm"] }).then((model) => void (window.model = model))`,
  );
  const burst = `Promise.all(harness.itemsFor("mlp-tiny", 100).map((item) => model.predict(item))).then((all) => all.length)`;
  expect(await tab.evaluate(burst)).toBe(100);

  await tab.hide();
  await expect.poll(() => tab.evaluate(`document.visibilityState`)).toBe("hidden");
  expect(await tab.evaluate(burst)).toBe(100);

  await tab.show();
  await expect.poll(() => tab.evaluate(`document.visibilityState`)).toBe("visible");
  expect(await tab.evaluate(burst)).toBe(100);
  await tab.close();
});
