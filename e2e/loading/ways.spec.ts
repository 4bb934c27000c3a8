import type { Page } from "@playwright/test";
import { MODEL_PATHS } from "../support/sites/site.js";
import { expect, LONG, test } from "../support/test.js";

/** Opens a model by default options on a new page. Keeps it busy until `isMeasured`, or for one answer. */
async function visit(page: Page, url: string, isMeasured: boolean) {
  await page.goto(`${url}/harness.html`);
  await page.waitForFunction(() => "harness" in window);
  return page.evaluate(
    async ({ path, untilMeasured }) => {
      const { createBatchedModel, createReference, distance, itemsFor } = window.harness;
      const items = itemsFor("mlp-784", 16);
      const expected = await (await createReference(path, "wasm")).runAll(items);
      const model = await createBatchedModel(path);
      const measured = () => model.stats().providerTrials.filter(({ msPerItem }) => Object.keys(msPerItem).length > 0);
      let worst = 0;
      const ask = async () => {
        const outputs = await Promise.all(items.map((item) => model.predict(item)));
        for (const [index, output] of outputs.entries()) worst = Math.max(worst, distance(output, expected[index]));
        // A batch of one item gives its caller the memory of the run, which the caller may change.
        const output = await model.predict(items[0]!);
        worst = Math.max(worst, distance(output, expected[0]));
        for (const { data } of Object.values(output)) if (data instanceof Float32Array) data.fill(0);
      };
      await ask();
      if (untilMeasured) while (measured().length === 0) await ask();
      // The outcome is stored without waiting for it.
      await new Promise((resolve) => setTimeout(resolve, untilMeasured ? 1000 : 0));
      const { executionProvider } = model.stats();
      const facts = { executionProvider, trials: measured(), isIsolated: crossOriginIsolated, worst };
      await model.dispose();
      return facts;
    },
    { path: MODEL_PATHS["mlp-784"], untilMeasured: isMeasured },
  );
}

test(
  "on an isolated page, two threads are measured beside one, and the next visit knows the outcome",
  { tag: LONG },
  async ({ page, isolated }) => {
    const first = await visit(page, isolated.url, true);
    expect(first).toMatchObject({ executionProvider: "wasm", isIsolated: true });
    expect(first.trials).toMatchObject([
      { provider: "wasm", agrees: true, reason: expect.stringContaining("as fast") },
    ]);
    expect(first.worst).toBeLessThan(1e-4);
    const second = await visit(page, isolated.url, false);
    expect(second.trials.map(({ numThreads }) => numThreads)).toContain(first.trials[0]?.numThreads);
    expect(second.worst).toBeLessThan(1e-4);
  },
);

test(
  "on an isolated page, two threads are measured for a model that was rewritten from a batch of one",
  { tag: LONG },
  async ({ page, isolated }) => {
    await page.goto(`${isolated.url}/harness.html`);
    await page.waitForFunction(() => "harness" in window);
    const found = await page.evaluate(async () => {
      const model = await window.harness.createBatchedModel("/models/mlp-fixed-1.onnx");
      const items = Array.from({ length: 16 }, (_, item) => ({ x: Float32Array.from({ length: 8 }, () => item / 16) }));
      const measured = () => model.stats().providerTrials.filter(({ msPerItem }) => Object.keys(msPerItem).length > 0);
      while (measured().length === 0) await model.predictMany(items);
      const { isRebatched } = model.stats();
      const [trial] = measured();
      await model.dispose();
      return { isRebatched, trial };
    });
    expect(found).toMatchObject({ isRebatched: true, trial: { provider: "wasm", agrees: true } });
    expect(found.trial?.numThreads).toBeGreaterThan(1);
  },
);

test("on an isolated page, a large model starts on several threads, and a small one on one", async ({
  page,
  isolated,
}) => {
  await page.goto(`${isolated.url}/harness.html`);
  await page.waitForFunction(() => "harness" in window);
  const threads = await page.evaluate(async (paths) => {
    const open = async (path: string) => {
      const model = await window.harness.createBatchedModel(path);
      const chosen = model.stats().providerTrials.find((trial) => trial.chosen);
      await model.dispose();
      return chosen?.numThreads;
    };
    const most = Math.min(4, navigator.hardwareConcurrency);
    return { large: await open(paths["mlp-784"]), small: await open(paths["mlp-tiny"]), most };
  }, MODEL_PATHS);
  expect(threads).toEqual({ large: threads.most, small: 1, most: threads.most });
});
