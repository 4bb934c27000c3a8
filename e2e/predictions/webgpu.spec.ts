import { expectNothingLost, keepAsking } from "../support/endurance.js";
import { openTabs } from "../support/pages/shared-tabs.js";
import { runFirstInWorkers } from "../support/pages/worker-hook.js";
import { MODEL_PATHS } from "../support/sites/site.js";
import { expect, SLOW_ON_GPU, test } from "../support/test.js";

test("with a GPU, the model runs on it and reports its adapter", async ({ harness }) => {
  const stats = await harness.evaluate(async (url) => {
    const model = await window.harness.createBatchedModel(url, { executionProviders: ["webgpu", "wasm"] });
    return model.stats();
  }, MODEL_PATHS["mlp-tiny"]);
  expect(stats.executionProvider).toBe("webgpu");
  expect(stats.adapter).toMatch(/\w/);
  expect(stats.providerTrials).toMatchObject([{ provider: "webgpu", chosen: true }]);
});

test("with a GPU, tabs share a session on it", async ({ context, home }) => {
  const tabs = await openTabs(context, home.url, 2);
  const stats = [];
  for (const tab of tabs) {
    stats.push(
      await tab.evaluate(async (url) => {
        const { createBatchedModel, createReference, distance, itemsFor } = window.harness;
        const model = await createBatchedModel(url, {
          executionProviders: ["webgpu", "wasm"],
          shared: true,
          maxBatchSize: 4,
        });
        const items = itemsFor("mlp-tiny", 20);
        const direct = await (await createReference(url, "wasm")).runAll(items);
        const answers = await model.predictMany(items);
        const worst = Math.max(...answers.map((outputs, index) => distance(outputs, direct[index])));
        return { isRight: worst < 1e-4, provider: model.executionProvider, shared: model.stats().shared };
      }, MODEL_PATHS["mlp-tiny"]),
    );
  }
  expect(stats).toEqual(
    [1, 2].map((count) => ({
      isRight: true,
      provider: "webgpu",
      shared: { isShared: true, reason: null, tabs: count },
    })),
  );
});

test("without JavaScript Promise Integration, the model runs on the GPU by a compressed build", async ({
  harness,
  home,
}) => {
  await runFirstInWorkers(harness, "delete WebAssembly.Suspending;");
  const before = home.answered.length;
  const { executionProvider, providerTrials } = await harness.evaluate(async (url) => {
    const model = await window.harness.createBatchedModel(url, { executionProviders: ["webgpu", "wasm"] });
    await model.predict(window.harness.itemFor("mlp-tiny", 1));
    return model.stats();
  }, MODEL_PATHS["mlp-tiny"]);
  expect([executionProvider, providerTrials[0]?.reason]).toEqual([
    "webgpu",
    expect.stringMatching(/^onnxruntime-web\/webgpu/),
  ]);
  const loaded = home.answered.slice(before).map(({ path }) => path);
  expect(loaded.filter((path) => /\.(wasm|bin)$/.test(path))).toEqual([expect.stringMatching(/asyncify.*\.bin$/)]);
});

test("models whose dynamic sizes are hard to guess run on the GPU", { tag: SLOW_ON_GPU }, async ({ harness }) => {
  const found = await harness.evaluate(async () => {
    const { createBatchedModel } = window.harness;
    const data = Float32Array.from({ length: 800 }, (_, index) => Math.sin(index));
    const results: unknown[] = [];
    for (const [name, dims] of [
      ["wide-convolution", [1, 800]],
      ["reflect-padded", [800]],
      ["windows-of-400", [800]],
    ] as const) {
      for (const samples of [[], [{ audio: { data, dims } }]]) {
        const model = await createBatchedModel(`/models/${name}.onnx`, {
          cache: false,
          executionProviders: ["webgpu", "wasm"],
          verify: { budgetMs: 60_000 },
          ...(samples.length > 0 && { samples }),
        });
        await model.predict({ audio: { data, dims } });
        const { executionProvider, batchCheck } = model.stats();
        results.push([executionProvider, samples.length === 0 ? "as it may be" : batchCheck.outcome]);
        await model.dispose();
      }
    }
    return results;
  });
  const [guessed, given] = [
    ["webgpu", "as it may be"],
    ["webgpu", "passed"],
  ];
  expect(found).toEqual([guessed, given, guessed, given, guessed, given]);
});

test("two models answer concurrently", async ({ harness }) => {
  const counts = await harness.evaluate(async (url) => {
    const { createBatchedModel, itemsFor } = window.harness;
    const open = () => createBatchedModel(url, { executionProviders: ["webgpu", "wasm"] });
    const models = await Promise.all([open(), open()]);
    const items = itemsFor("mlp-tiny", 32);
    const answers = await Promise.all(models.map((model) => Promise.all(items.map((item) => model.predict(item)))));
    return answers.map((outputs) => outputs.length);
  }, MODEL_PATHS["mlp-tiny"]);
  expect(counts).toEqual([32, 32]);
});

test(
  "if the GPU process crashes, the model recovers and answers the open requests",
  { tag: SLOW_ON_GPU },
  async ({ playwright, launchOptions, home }) => {
    // A new browser: after a few crashes of the GPU process, a browser blocks the GPU for its pages.
    const browser = await playwright.chromium.launch(launchOptions);
    const page = await browser.newPage();
    await page.goto(`${home.url}/harness.html`);
    await page.waitForFunction(() => "harness" in window);
    await keepAsking(page, "webgpu");
    const session = await browser.newBrowserCDPSession();
    await session.send("Browser.crashGpuProcess");
    await expectNothingLost(page);
    await browser.close();
  },
);
