import { afterEach, describe, expect, it, vi } from "vitest";
import { generateModel } from "@framebatch/models/generate";
import type { ModelOptions } from "../options/options.js";
import { modelInNode, stubBrowser } from "../../../test/support/model-in-node.js";

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

  it("is a GPU in software only if the list names WebGPU", async () => {
    const [adapter = {}] = IN_SOFTWARE;
    expect(await choiceOn(adapter, { executionProviders: ["webgpu", "wasm"] })).toEqual([
      expect.stringMatching(/^webgpu true: .* on google swiftshader/),
    ]);
  });
});
