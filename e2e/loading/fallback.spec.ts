import type { Page } from "@playwright/test";
import { MODEL_PATHS } from "../support/sites/site.js";
import { expect, test } from "../support/test.js";

test.beforeEach(async ({ harness }) => {
  test.skip(await offersWebGpu(harness), "this browser offers WebGPU by default");
});

test("without a GPU, the model runs on WASM and reports the reason", async ({ harness }) => {
  const { provider, stats, size } = await harness.evaluate(async (url) => {
    const { createBatchedModel, itemFor } = window.harness;
    const model = await createBatchedModel(url);
    const { y } = await model.predict(itemFor("mlp-tiny", 1));
    return { provider: model.executionProvider, stats: model.stats(), size: y?.data.length };
  }, MODEL_PATHS["mlp-tiny"]);
  expect(provider).toBe("wasm");
  expect(size).toBe(10);
  expect(stats).toMatchObject({ executionProvider: "wasm", adapter: null });
  expect(stats.providerTrials).toMatchObject([
    { provider: "webgpu", chosen: false, reason: expect.stringMatching(/webgpu|adapter|gpu/i) },
    { provider: "wasm", chosen: true, reason: expect.stringMatching(/\w/) },
  ]);
});

test("a model that allows only WebGPU rejects with UNSUPPORTED if WebGPU is missing", async ({ harness }) => {
  const failure = await harness.evaluate(
    (url) => window.harness.failureOf(window.harness.createBatchedModel(url, { executionProviders: ["webgpu"] })),
    MODEL_PATHS["mlp-tiny"],
  );
  expect(failure?.code).toBe("UNSUPPORTED");
});

test("WebNN is tried if it is requested, and the trial reports if the browser has none", async ({ harness }) => {
  const found = await harness.evaluate(async (url) => {
    const { createBatchedModel, itemFor } = window.harness;
    const model = await createBatchedModel(url, { executionProviders: ["webnn", "wasm"] });
    const { y } = await model.predict(itemFor("mlp-tiny", 1));
    return { hasWebNn: "ml" in navigator, size: y?.data.length, trials: model.stats().providerTrials };
  }, MODEL_PATHS["mlp-tiny"]);
  expect(found.size).toBe(10);
  const [webnn] = found.trials;
  if (found.hasWebNn) expect(webnn).toMatchObject({ provider: "webnn" });
  else expect(webnn).toMatchObject({ provider: "webnn", chosen: false, reason: "this browser has no WebNN" });
});

function offersWebGpu(page: Page): Promise<boolean> {
  return page.evaluate(async () => {
    const gpu: { requestAdapter(): Promise<unknown> } | undefined = Reflect.get(navigator, "gpu");
    return gpu !== undefined && (await gpu.requestAdapter()) !== null;
  });
}
