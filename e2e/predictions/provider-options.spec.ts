import type { Page } from "@playwright/test";
import type { ProviderOptions } from "framebatch";
import { runFirstInWorkers } from "../support/pages/worker-hook.js";
import { expect, SLOW_ON_GPU, test } from "../support/test.js";

/** Makes a worker count the calls that show what the options of WebGPU do. */
const COUNT_CALLS = `self.calls = { createBuffer: 0, dispatchWorkgroups: 0, pushErrorScope: 0 };
  for (const [kind, name] of [
    [GPUDevice, "createBuffer"], [GPUComputePassEncoder, "dispatchWorkgroups"], [GPUDevice, "pushErrorScope"],
  ]) {
    const call = kind.prototype[name];
    kind.prototype[name] = function (...terms) {
      self.calls[name] += 1;
      return call.apply(this, terms);
    };
  }`;

interface Calls {
  readonly createBuffer: number;
  readonly dispatchWorkgroups: number;
  readonly pushErrorScope: number;
}

const CNN = { url: "/models/cnn-28.onnx", input: "image", dims: [1, 28, 28] };
/** A model whose nodes have names. */
const CLASSIFIER = { url: "/ocr-models/ch_ppocr_mobile_v2.0_cls_infer.onnx", input: "x", dims: [3, 48, 48] };

/** Returns the calls of one run, and how far its answer is from that of WASM. */
async function oneRun(page: Page, model: typeof CNN, webgpu: NonNullable<ProviderOptions["webgpu"]>) {
  const open = await page.evaluateHandle(
    ({ url, options }) =>
      window.harness.createBatchedModel(url, {
        executionProviders: ["webgpu"],
        cache: false,
        verify: false,
        warmup: false,
        providerOptions: { webgpu: options },
      }),
    { url: model.url, options: webgpu },
  );
  const distance = await open.evaluate(async (opened, { url, input, dims }) => {
    const length = dims.reduce((product, size) => product * size);
    const data = Float32Array.from({ length }, (_, index) => Math.abs(Math.sin(index)));
    const item = { [input]: { type: "float32", data, dims } as const };
    const reference = await window.harness.createReference(url, "wasm");
    await opened.predict(item);
    return window.harness.distance(await opened.predict(item), await reference.run(item));
  }, model);
  const calls = () => page.workers()[0]!.evaluate((): Calls => ({ ...Reflect.get(self, "calls") }));
  const before = await calls();
  await open.evaluate(
    (opened, { input, dims }) =>
      opened.predict({ [input]: { data: new Float32Array(dims.reduce((product, size) => product * size)), dims } }),
    model,
  );
  const after = await calls();
  await open.evaluate((opened) => opened.dispose());
  return {
    distance,
    buffers: after.createBuffer - before.createBuffer,
    dispatches: after.dispatchWorkgroups - before.dispatchWorkgroups,
    scopes: after.pushErrorScope - before.pushErrorScope,
  };
}

test("options of WebGPU take effect, and answers stay right", { tag: SLOW_ON_GPU }, async ({ harness }) => {
  await runFirstInWorkers(harness, COUNT_CALLS);
  const { distance, ...usual } = await oneRun(harness, CNN, {});
  expect(distance).toBeLessThan(1e-4);
  const expectEffect = async (options: NonNullable<ProviderOptions["webgpu"]>, effect: Partial<typeof usual>) => {
    const run = await oneRun(harness, CNN, options);
    expect(run.distance).toBeLessThan(1e-4);
    expect(run).toMatchObject({ ...usual, ...effect });
  };
  // What these tell of ONNX Runtime is in docs/options.md.
  expect(usual).toEqual({ buffers: 2, dispatches: 7, scopes: 1 });
  await expectEffect({ preferredLayout: "NHWC" }, {});
  await expectEffect({ preferredLayout: "NCHW" }, { dispatches: 5 });
  await expectEffect({ validationMode: "wgpuOnly" }, { scopes: 0 });
  await expectEffect({ validationMode: "full" }, { scopes: 8 });
  await expectEffect({ storageBufferCacheMode: "lazyRelease" }, { buffers: 10 });
  await expectEffect({ uniformBufferCacheMode: "lazyRelease" }, { buffers: 9 });
});

test("a node that is forced to the processor leaves the GPU", { tag: SLOW_ON_GPU }, async ({ harness }) => {
  await runFirstInWorkers(harness, COUNT_CALLS);
  const usual = await oneRun(harness, CLASSIFIER, {});
  const forced = await oneRun(harness, CLASSIFIER, { forceCpuNodeNames: ["p2o.Conv.0"] });
  expect(usual.distance).toBeLessThan(1e-3);
  expect(forced.distance).toBeLessThan(1e-3);
  expect(forced.dispatches).toBeLessThan(usual.dispatches);
});
