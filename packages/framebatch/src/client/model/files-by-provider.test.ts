import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createModelHub } from "../api/packaged-hub.js";
import { createModelAt } from "./create-batched-model.js";
import { keepModel } from "../options/model-source.js";
import type { ModelOptions } from "../options/options.js";
import { FilesByProvider, PinnedFiles } from "../workers/pinned-files.js";
import { WorkerSlot } from "../workers/worker-slot.js";
import type { TensorInfo } from "@framebatch/rows/tensor/tensor.js";
import { hostSite } from "../../../test/support/channel-worker.js";
import { Deployment } from "../../../test/support/deployment.js";
import { doublingModel, squaringModel } from "../../../test/support/doubling-model.js";
import { setGpuFault } from "../../../test/support/gpu-runtime.js";
import { stubBrowser } from "../../../test/support/model-in-node.js";
import { planAt } from "../../../test/support/scripted-plan.js";

vi.mock("onnxruntime-web/webgpu", () => import("../../../test/support/gpu-runtime.js"));
vi.mock("onnxruntime-web/jspi", () => import("../../../test/support/gpu-runtime.js"));

let servers = { webgpu: new Deployment(), wasm: new Deployment() };

beforeEach(async () => {
  servers = { webgpu: new Deployment(), wasm: new Deployment() };
  for (const server of Object.values(servers)) await server.open();
  servers.webgpu.deploy(squaringModel());
});

afterEach(() => {
  for (const server of Object.values(servers)) server.close();
  setGpuFault(null);
  vi.unstubAllGlobals();
});

const openModel = (options: ModelOptions = {}) =>
  createModelAt(
    { site: hostSite(), share: null },
    keepModel({ webgpu: servers.webgpu.url, wasm: new URL(servers.wasm.url) }),
    { cache: false, ...options },
  );

/** Returns the provider, its answer for 5 (25 from the file for WebGPU, 10 from that for WASM), and who was asked. */
async function outcomeOf(options?: ModelOptions) {
  await using model = await openModel(options);
  const { y } = await model.predict({ x: Float32Array.of(5) });
  return [model.executionProvider, y?.data[0], servers.webgpu.asked, servers.wasm.asked];
}

describe("a model with a file for each provider", () => {
  it("fetches the file for WebGPU alone where there is a GPU", async () => {
    stubBrowser({ hasGpu: true });
    expect(await outcomeOf()).toEqual(["webgpu", 25, 1, 0]);
  });

  it("fetches the file for WASM alone where there is no GPU, or where only WASM is asked for", async () => {
    stubBrowser();
    expect(await outcomeOf()).toEqual(["wasm", 10, 0, 1]);
    stubBrowser({ hasGpu: true });
    expect(await outcomeOf({ executionProviders: ["wasm"] })).toEqual(["wasm", 10, 0, 2]);
  });

  it("goes on with the other file where the first provider does not run its own", async () => {
    stubBrowser({ hasGpu: true });
    setGpuFault(() => Promise.reject(new Error("no such kernel")));
    expect(await outcomeOf()).toEqual(["wasm", 10, 1, 1]);
  });

  it("checks the integrity of each file by its own digest", async () => {
    stubBrowser();
    const wrong = "sha256-AAAA";
    expect(await outcomeOf({ integrity: { webgpu: wrong } })).toEqual(["wasm", 10, 0, 1]);
    await expect(openModel({ integrity: { wasm: wrong } })).rejects.toMatchObject({ code: "MODEL_INTEGRITY" });
  });

  it("does not run on a file with other inputs than requests are prepared for", async () => {
    stubBrowser();
    const tensor = (name: string): TensorInfo => ({
      name,
      type: "float16",
      dims: [null, 1],
      symbols: ["n", null],
      batchAxis: 0,
    });
    const signature = { inputs: [tensor("x")], outputs: [tensor("y")], fixedBatch: null };
    const plan = planAt(hostSite());
    const files = new FilesByProvider([
      { provider: "wasm", integrity: null, files: new PinnedFiles({ blob: new Blob([doublingModel()]) }, []) },
    ]);
    const listener = { onState: vi.fn(), onChecked: vi.fn(), onCompared: vi.fn(), onRetiring: () => false };
    const own = { ...plan, files, request: { ...plan.request, signature } };
    await expect(WorkerSlot.start(own, ["wasm"], new AbortController().signal, listener)).rejects.toMatchObject({
      code: "UNSUPPORTED",
      message: expect.stringMatching(
        /other provider's file, with input "x" of float16 \[.*\], got input "x" of float32/,
      ),
    });
  });

  it.each<readonly [object, ModelOptions, RegExp]>([
    [{ webgpu: "/a", webgl: "/b" }, {}, /^source\.webgl: expected an option that exists/],
    [{ webgpu: 7 }, {}, /^source\.webgpu: expected a URL, .* got number 7/],
    [
      { wasm: "/a" },
      { executionProviders: ["webgpu", "wasm"] },
      /^executionProviders\[0\]: expected a provider that has a file in source \("wasm"\), got string "webgpu"; remove it/,
    ],
    [{ wasm: "/a" }, { integrity: { webgpu: "sha256-AAAA" } }, /^integrity\.webgpu: expected an option that exists/],
    [{ wasm: "/a" }, { integrity: { wasm: "md5" } }, /^integrity\.wasm: expected "sha256-/],
    [
      { wasm: "/a" },
      { agreement: { relative: -1 } },
      /^agreement\.relative: expected a finite number from 0, got number -1/,
    ],
    [{ wasm: "/a" }, { externalData: { webgpu: [] } }, /^externalData\.webgpu: expected an option that exists/],
  ])("is rejected at once: %j with %j", (source, options, message) => {
    vi.stubGlobal("document", { baseURI: "https://page.example/" });
    const hub = createModelHub();
    const register = () => Reflect.apply(hub.register.bind(hub), undefined, ["a", source, options]);
    expect(register).toThrow(
      expect.objectContaining({ code: "INVALID_OPTION", message: expect.stringMatching(message) }),
    );
  });
});

it("values by provider are rejected for a model of one file", async () => {
  stubBrowser();
  const opening = createModelAt({ site: hostSite(), share: null }, keepModel(doublingModel()), {
    integrity: { wasm: "sha256-AAAA" },
  });
  await expect(opening).rejects.toMatchObject({
    message: expect.stringMatching(/^integrity: expected one value, because the model is one file/),
  });
});
