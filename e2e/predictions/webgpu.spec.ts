import { exportedClassifier } from "@framebatch/models/exported";
import { expectNothingLost, keepAsking } from "../support/endurance.js";
import { openTabs } from "../support/pages/shared-tabs.js";
import { runFirstInWorkers } from "../support/pages/worker-hook.js";
import { MODEL_PATHS } from "../support/sites/site.js";
import { expect, LONG, SLOW_ON_GPU, test } from "../support/test.js";

test("with a GPU, the model runs on it and reports its adapter", async ({ harness }) => {
  const stats = await harness.evaluate(async (url) => {
    const model = await window.harness.createBatchedModel(url, { executionProviders: ["webgpu", "wasm"] });
    return model.stats();
  }, MODEL_PATHS["mlp-tiny"]);
  expect(stats.executionProvider).toBe("webgpu");
  expect(stats.adapter).toMatch(/\w/);
  expect(stats.providerTrials).toMatchObject([{ provider: "webgpu", chosen: true }]);
});

test("with a GPU, tabs share a session on it", { tag: LONG }, async ({ context, home }) => {
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

/** Returns the builds of ONNX Runtime among what a site has served. */
function buildsAmong(answered: readonly { readonly path: string }[]): readonly string[] {
  return [...new Set(answered.flatMap(({ path }) => /simd-threaded\.?(\w*)-[\w-]+\.wasm$/.exec(path)?.[1] ?? []))];
}

/** Makes workers take the GPU in software for one in hardware, which is tried without options. */
const PRETENDS_HARDWARE = `Object.defineProperty(GPUAdapter.prototype, "info", {
  value: { vendor: "pretended", architecture: "", device: "", description: "", isFallbackAdapter: false },
});`;

test("beside a GPU, a small model starts on WASM and a large one on the GPU, in one build", async ({
  harness,
  home,
}) => {
  await runFirstInWorkers(harness, PRETENDS_HARDWARE);
  const before = home.answered.length;
  const chosen = await harness.evaluate(async (paths) => {
    const open = async (source: string | ArrayBuffer) => {
      const model = await window.harness.createBatchedModel(source, { verify: false });
      const { providerTrials, adapter } = model.stats();
      await model.dispose();
      return [adapter, ...providerTrials.filter((trial) => trial.chosen).map((trial) => trial.reason)];
    };
    const bytes = await (await fetch(paths["mlp-tiny"])).arrayBuffer();
    return [await open(paths["mlp-tiny"]), await open(paths["mlp-784"]), await open(bytes)];
  }, MODEL_PATHS);
  const inOneBuild = expect.stringMatching(/^onnxruntime-web\/jspi/);
  expect(chosen).toEqual([
    [null, inOneBuild],
    ["pretended", inOneBuild],
    // Its ways are not compared, so nothing would bring it to the GPU.
    ["pretended", inOneBuild],
  ]);
  expect(buildsAmong(home.answered.slice(before))).toEqual(["jspi"]);
});

test(
  "beside a GPU, a model runs on WASM if the build of the GPU does not arrive",
  { tag: LONG },
  async ({ harness }) => {
    await runFirstInWorkers(harness, PRETENDS_HARDWARE);
    await harness.context().route(/jspi-[\w-]+\.wasm$/, (route) => route.fulfill({ status: 404 }));
    const chosen = await harness.evaluate(async (paths) => {
      const open = async (path: string) => {
        const model = await window.harness.createBatchedModel(path, { verify: false });
        await model.predict(window.harness.itemFor(path === paths["mlp-tiny"] ? "mlp-tiny" : "mlp-784", 1));
        const trials = model.stats().providerTrials.filter((trial) => trial.chosen);
        await model.dispose();
        return trials.map(({ provider, reason }) => [provider, reason.split(" ")[0]]);
      };
      return [await open(paths["mlp-tiny"]), await open(paths["mlp-784"])];
    }, MODEL_PATHS);
    expect(chosen).toEqual([[["wasm", "onnxruntime-web/wasm"]], [["wasm", "onnxruntime-web/wasm"]]]);
  },
);

test("beside a GPU, models run for which its build of ONNX Runtime lacks an operator or a type", async ({
  harness,
  home,
}) => {
  await runFirstInWorkers(harness, PRETENDS_HARDWARE);
  const before = home.answered.length;
  const found = await harness.evaluate(
    async ([bytes, large]) => {
      const { createBatchedModel, createModelGroup, itemFor } = window.harness;
      const classifier = Uint8Array.from(bytes);
      const classified = async (options: object) => {
        const model = await createBatchedModel(classifier, options);
        const answers = await model.predictMany([{ x: [3, 0] }, { x: [0, 3] }, { x: [-3, -3] }]);
        const { providerTrials, executionProvider } = model.stats();
        const labels = answers.map(({ label }) => label?.data[0]);
        return { model, found: [executionProvider, providerTrials.at(-1)?.reason, ...labels].join() };
      };
      const alone = [await classified({}), await classified({ executionProviders: ["webgpu", "wasm"] })];
      for (const { model } of alone) await model.dispose();
      const doubles = await createBatchedModel("/models/affine-float64.onnx");
      const { y } = await doubles.predict({ x: [1, 2, 3, 4] });
      await doubles.dispose();
      const only = await createBatchedModel(classifier, { executionProviders: ["webgpu"] }).catch(String);
      const group = createModelGroup();
      const beside = await createBatchedModel(large, { group });
      await beside.predict(itemFor("mlp-784", 1));
      const grouped = await classified({ group });
      await beside.predict(itemFor("mlp-784", 1));
      const providers = [beside.executionProvider, grouped.model.executionProvider];
      await group.dispose();
      return {
        alone: alone.map((each) => each.found),
        y: Array.from<unknown>(y?.data ?? []),
        only,
        grouped: grouped.found,
        providers,
      };
    },
    [[...exportedClassifier()], MODEL_PATHS["mlp-784"]] as const,
  );
  const right = "wasm,onnxruntime-web/wasm,cat,dog,eel";
  expect(found).toEqual({
    alone: [right, right],
    y: [3, 5, 7, 9],
    only: expect.stringMatching(/got ai\.onnx\.ml\.LinearClassifier; .*add "wasm"/),
    grouped: right,
    providers: ["webgpu", "wasm"],
  });
  // A small file is read before ONNX Runtime is chosen.
  expect(buildsAmong(home.answered.slice(before))[0]).toBe("");
});

test("beside a GPU, a small model that mixes rows stays on WASM", { tag: LONG }, async ({ harness }) => {
  await runFirstInWorkers(harness, PRETENDS_HARDWARE);
  const found = await harness.evaluate(async () => {
    const options = { verify: { budgetMs: 600_000 } };
    const model = await window.harness.createBatchedModel("/models/mixes-rows.onnx", options);
    const { executionProvider, batchCheck, providerTrials } = model.stats();
    await model.dispose();
    return [executionProvider, batchCheck.outcome, providerTrials.length];
  });
  expect(found).toEqual(["wasm", "failed", 1]);
});

test("beside a GPU, the other way is measured without another build", { tag: LONG }, async ({ harness, home }) => {
  await runFirstInWorkers(harness, PRETENDS_HARDWARE);
  const before = home.answered.length;
  const trials = await harness.evaluate(async (path) => {
    const { createBatchedModel, itemsFor } = window.harness;
    const model = await createBatchedModel(path);
    const items = itemsFor("mlp-tiny", 16);
    const measured = () => model.stats().providerTrials.filter(({ msPerItem }) => Object.keys(msPerItem).length > 0);
    while (measured().length === 0) await model.predictMany(items);
    return measured();
  }, MODEL_PATHS["mlp-tiny"]);
  expect(trials).toMatchObject([{ provider: "webgpu", agrees: true, chosen: false }]);
  expect(buildsAmong(home.answered.slice(before))).toEqual(["jspi"]);
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

test("two models answer concurrently", { tag: LONG }, async ({ harness }) => {
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
