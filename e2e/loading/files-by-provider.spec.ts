import type { Page } from "@playwright/test";
import { REMEMBER_DEVICES, runFirstInWorkers } from "../support/pages/worker-hook.js";
import { expect, SLOW_ON_GPU, test } from "../support/test.js";

const FILES = { webgpu: "/models-again/mlp-tiny.onnx", wasm: "/models/mlp-tiny.onnx" };

/** Opens a model whose file for WebGPU has another address than that for WASM. Collects its states. */
function openModel(page: Page) {
  return page.evaluateHandle(async (files) => {
    const model = await window.harness.createBatchedModel(files, {
      executionProviders: ["webgpu", "wasm"],
      cache: false,
      verify: false,
      warmup: false,
    });
    const states: string[] = [];
    model.addEventListener("statechange", ({ detail }) => states.push(detail.state));
    return { model, states };
  }, FILES);
}

test(
  "of a file for each provider, only that of the provider in use is fetched",
  { tag: SLOW_ON_GPU },
  async ({ harness, home, provider }) => {
    if (provider === "webgpu") await runFirstInWorkers(harness, REMEMBER_DEVICES);
    const before = home.answered.length;
    const fetched = () => {
      const paths = home.answered.slice(before).map(({ path }) => path);
      const count = (file: string) => paths.filter((path) => path === file).length;
      return { webgpu: count(FILES.webgpu), wasm: count(FILES.wasm) };
    };
    const open = await openModel(harness);
    const answer = () =>
      open.evaluate(async ({ model }) => {
        const outputs = await model.predict(window.harness.itemFor("mlp-tiny", 1));
        return { outputs, provider: model.executionProvider };
      });
    const first = await answer();
    expect(first.provider).toBe(provider);
    expect(fetched()).toEqual(provider === "webgpu" ? { wasm: 0, webgpu: 1 } : { wasm: 1, webgpu: 0 });
    if (provider === "webgpu") {
      for (const losses of [1, 2]) {
        await harness.workers().at(-1)?.evaluate("devices.forEach((device) => device.destroy())");
        await expect.poll(() => open.evaluate(({ states }) => states.length)).toBe(2 * losses);
      }
      expect((await answer()).provider).toBe("wasm");
      expect(fetched().wasm).toBe(1);
    }
    const distance = await harness.evaluate(
      async ({ path, outputs }) => {
        const { createReference, distance: apart, itemFor } = window.harness;
        return apart(outputs, await (await createReference(path, "wasm")).run(itemFor("mlp-tiny", 1)));
      },
      { path: FILES.wasm, outputs: (await answer()).outputs },
    );
    expect(distance).toBeLessThan(1e-4);
    await open.evaluate(({ model }) => model.dispose());
  },
);
