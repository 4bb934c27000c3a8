import { MODEL_PATHS } from "../support/sites/site.js";
import { expect, LONG, test } from "../support/test.js";
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

test(
  "a hidden tab is answered although a visible tab keeps the session busy that they share",
  { tag: LONG },
  async ({ browser, home }) => {
    const options = `{ executionProviders: ["wasm"], shared: true }`;
    const create = `harness.createBatchedModel("${MODEL_PATHS["mlp-tiny"]}", ${options}).then((model) => void (window.model = model))`;
    const tabs = [];
    for (let count = 0; count < 2; count += 1) {
      const tab = await UnmanagedTab.open(browser, `${home.url}/harness.html`);
      await expect.poll(() => tab.evaluate(`"harness" in window`)).toBe(true);
      await tab.evaluate(create);
      tabs.push(tab);
    }
    const [hidden, visible] = tabs;
    // The tab that was opened last is in front.
    await expect.poll(() => hidden?.evaluate(`document.visibilityState`)).toBe("hidden");
    expect(await visible?.evaluate(`[document.visibilityState, model.stats().shared.tabs].join()`)).toBe("visible,2");
    await visible?.evaluate(`{
    window.isOver = false;
    const ask = async () => { while (!isOver) await model.predict(harness.itemFor("mlp-tiny", 1)); };
    window.asking = Promise.all(Array.from({ length: 32 }, ask));
    "asks"
  }`);
    expect(
      await hidden?.evaluate(
        `Promise.all(harness.itemsFor("mlp-tiny", 100).map((item) => model.predict(item))).then((all) => all.length)`,
      ),
    ).toBe(100);
    expect(await visible?.evaluate(`isOver = true, asking.then((all) => all.length)`)).toBe(32);
    for (const tab of tabs) await tab.close();
  },
);
