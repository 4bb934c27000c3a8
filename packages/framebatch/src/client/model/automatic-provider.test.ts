import { afterEach, describe, expect, it, vi } from "vitest";
import { generateModel } from "@framebatch/models/generate";
import type { ModelOptions } from "../options/options.js";
import { hostSite } from "../../../test/support/channel-worker.js";
import { modelInNode, stubBrowser } from "../../../test/support/model-in-node.js";
import { planAt } from "../../../test/support/scripted-plan.js";
import { PinnedFiles } from "../workers/pinned-files.js";
import { WorkerPool } from "../workers/worker-pool.js";

vi.mock("onnxruntime-web/webgpu", () => import("../../../test/support/gpu-runtime.js"));
vi.mock("onnxruntime-web/jspi", () => import("../../../test/support/gpu-runtime.js"));

async function choiceOn(adapter: object, options: ModelOptions = {}): Promise<string[]> {
  stubBrowser();
  vi.stubGlobal("navigator", { gpu: { requestAdapter: async () => ({ info: adapter }) } });
  await using model = await modelInNode(generateModel("mlp-small").bytes, { warmup: false, verify: false, ...options });
  return model.stats().providerTrials.map(({ provider, chosen, reason }) => `${provider} ${chosen}: ${reason}`);
}

const IN_SOFTWARE = [
  { vendor: "google", architecture: "swiftshader", device: "", description: "" },
  { vendor: "mesa", architecture: "", device: "", description: "llvmpipe (LLVM 15.0.6, 256 bits)" },
  { vendor: "microsoft", architecture: "", device: "", description: "Microsoft Basic Render Driver" },
  { vendor: "an unknown vendor", architecture: "", device: "", description: "", isFallbackAdapter: true },
];
const HARDWARE = { vendor: "nvidia", architecture: "hopper", device: "", description: "" };

describe("the execution provider that a model chooses by itself", () => {
  afterEach(() => void vi.unstubAllGlobals());

  it.each(IN_SOFTWARE)("is WASM where the only GPU is in software: $vendor $description", async (adapter) => {
    expect(await choiceOn(adapter)).toEqual([
      expect.stringMatching(/^webgpu false: the only GPU adapter, .+, runs in software; WebAssembly is faster$/),
      expect.stringMatching(/^wasm true: /),
    ]);
  });

  it("is the GPU where there is one", async () => {
    expect(await choiceOn(HARDWARE)).toEqual([expect.stringMatching(/^webgpu true: .* on nvidia hopper/)]);
    expect(await choiceOn(HARDWARE, { executionProviders: "auto" })).toHaveLength(1);
  });

  it("asks the browser for a GPU adapter once", async () => {
    stubBrowser();
    const requestAdapter = vi.fn(async () => ({ info: IN_SOFTWARE[0] }));
    vi.stubGlobal("navigator", { gpu: { requestAdapter } });
    await using model = await modelInNode(generateModel("mlp-small").bytes, { warmup: false, verify: false });
    expect(model.executionProvider).toBe("wasm");
    expect(requestAdapter).toHaveBeenCalledTimes(1);
  });

  it("is WASM again if a model that has changed to the GPU finds only one in software", async () => {
    stubBrowser();
    const adapter = { info: HARDWARE as object };
    vi.stubGlobal("navigator", { gpu: { requestAdapter: async () => adapter } });
    const plan = planAt(hostSite());
    const files = new PinnedFiles({ blob: new Blob([generateModel("mlp-small").bytes]) }, []);
    const request = { ...plan.request, isAutomatic: true };
    const { signal } = new AbortController();
    const pool = await WorkerPool.start({ ...plan, files, request }, ["webgpu", "wasm"], 1, signal);
    await pool.changeWay({ provider: "wasm", numThreads: 1 }, "1.40 times as fast");
    await pool.changeWay({ provider: "webgpu", numThreads: 1 }, "1.40 times as fast");
    expect(pool.session.model.provider).toBe("webgpu");
    adapter.info = IN_SOFTWARE[0] ?? {};
    await pool.restart();
    expect(pool.session.model.provider).toBe("wasm");
    pool.dispose(null);
  });

  it("is a GPU in software only if the list names WebGPU", async () => {
    const [adapter = {}] = IN_SOFTWARE;
    expect(await choiceOn(adapter, { executionProviders: ["webgpu", "wasm"] })).toEqual([
      expect.stringMatching(/^webgpu true: .* on google swiftshader/),
    ]);
  });
});
