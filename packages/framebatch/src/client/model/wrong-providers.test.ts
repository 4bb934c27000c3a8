import * as ort from "onnxruntime-web/wasm";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { generateModel } from "@framebatch/models/generate";
import { type GpuFault, setGpuFault, setWasmFault } from "../../../test/support/gpu-runtime.js";
import { modelInNode, stubBrowser } from "../../../test/support/model-in-node.js";
import type { BatchedModel } from "../options/model.js";
import type { ModelOptions } from "../options/options.js";

vi.mock("onnxruntime-web/webgpu", () => import("../../../test/support/gpu-runtime.js"));
vi.mock("onnxruntime-web/jspi", () => import("../../../test/support/gpu-runtime.js"));

const WIDTH = 16;
/** Long enough for a busy machine. */
const SOON = { timeout: 60_000 };

/** A GPU with a kernel that is wrong in every row from 32 tokens on, as that of attention is on one adapter. */
const wrongFrom32: GpuFault = async (feeds, run) => {
  const outputs = await run(feeds);
  const { x } = feeds;
  if (!(x instanceof ort.Tensor) || (x.dims[1] ?? 0) < 32) return outputs;
  return changed(outputs, (value) => value + 0.3);
};

/** A GPU that has numbers where WASM has NaN. */
const numbersForNaN: GpuFault = async (feeds, run) =>
  changed(await run(feeds), (value) => (Number.isNaN(value) ? 0 : value));

function changed(outputs: ort.InferenceSession.OnnxValueMapType, change: (value: number) => number) {
  const tensors = Object.entries(outputs).map(([name, { data, dims }]) => {
    const values = Float32Array.from(Array.from<unknown>(data), (value) => change(Number(value)));
    return [name, new ort.Tensor("float32", values, dims)] as const;
  });
  return Object.fromEntries(tensors);
}

function tokens(count: number, seed = 1) {
  const data = Float32Array.from({ length: count * WIDTH }, (_, index) => Math.sin(seed + index * 1.7));
  return { data, dims: [count, WIDTH] };
}

async function open(options: ModelOptions = {}): Promise<{ model: BatchedModel; said: string[]; ways: string[] }> {
  const all = {
    executionProviders: ["webgpu", "wasm"],
    warmup: false,
    batching: { release: "idle" },
    ...options,
  } as const;
  const model = await modelInNode(generateModel("plain-attention").bytes, all);
  const [said, ways]: string[][] = [[], []];
  model.addEventListener("error", ({ detail }) => said!.push(`${detail.code}: ${detail.message}`));
  model.addEventListener("providerchange", ({ detail }) => ways!.push(`${detail.executionProvider}: ${detail.reason}`));
  return { model, said: said!, ways: ways! };
}

function outcomeOf(model: BatchedModel, outcome: string): Promise<void> {
  return vi.waitFor(() => expect(model.stats().providerCheck).toMatchObject({ outcome }), SOON);
}

beforeAll(() => stubBrowser({ hasGpu: true }));
afterAll(() => void vi.unstubAllGlobals());
afterEach(() => {
  setGpuFault(null);
  setWasmFault(null);
});

describe("a GPU that answers otherwise than WASM", () => {
  it("is left with events and words, and later answers are right", async () => {
    setGpuFault(wrongFrom32);
    const { model, said, ways } = await open();
    await using _ = model;
    await model.predict(tokens(33));
    await vi.waitFor(() => expect(model.executionProvider).toBe("wasm"), SOON);
    const differs =
      'expected webgpu to answer as WASM does, got other answers in the output "y", for an item of [33, 16]';
    expect(ways).toEqual([`wasm: ${differs}`]);
    expect(said).toEqual([`PROVIDER_WRONG: the model runs on wasm: ${differs}`]);
    expect(model.stats()).toMatchObject({
      providerCheck: { provider: "webgpu", outcome: "failed", reason: differs, comparedSizes: [[33, 16]] },
      providerTrials: [
        { provider: "webgpu", chosen: false, reason: differs },
        { provider: "wasm", chosen: true },
      ],
      requests: { failed: 0 },
    });
    setGpuFault(null);
    const again = await model.predict(tokens(33));
    const { model: right } = await open({ executionProviders: ["wasm"] });
    expect(again).toEqual(await right.predict(tokens(33)));
    await right.dispose();
    await model.restart();
    expect(model.executionProvider).toBe("wasm");
  });

  it("is met when items get as long as its kernel is wrong for", async () => {
    setGpuFault(wrongFrom32);
    const { model } = await open();
    await using _ = model;
    for (let seed = 0; seed < 8; seed++) await model.predict(tokens(20, seed));
    await outcomeOf(model, "passed");
    expect(model.stats().providerCheck.comparedSizes).toEqual([[20, 16]]);
    await model.predict(tokens(40));
    await vi.waitFor(() => expect(model.executionProvider).toBe("wasm"), SOON);
    expect(model.stats().providerCheck.comparedSizes).toEqual([
      [20, 16],
      [40, 16],
    ]);
  });

  it("is met in a batch of many, by one of its items", async () => {
    setGpuFault(wrongFrom32);
    const { model } = await open();
    await using _ = model;
    await vi.waitFor(() => expect(model.stats().batchCheck.outcome).toBe("passed"), SOON);
    await model.predictMany(Array.from({ length: 16 }, (_item, seed) => tokens(33, seed)));
    await vi.waitFor(() => expect(model.executionProvider).toBe("wasm"), SOON);
  });

  it("is stayed on if there is no other provider, with an event and words", async () => {
    setGpuFault(wrongFrom32);
    const { model, said, ways } = await open({ executionProviders: ["webgpu"] });
    await using _ = model;
    await model.predict(tokens(33));
    await outcomeOf(model, "failed");
    await vi.waitFor(
      () =>
        expect(said).toEqual([
          expect.stringContaining("the model runs on webgpu: expected webgpu to answer as WASM does"),
        ]),
      SOON,
    );
    expect(model.executionProvider).toBe("webgpu");
    expect(ways).toEqual([]);
  });

  it("is left by all workers", async () => {
    setGpuFault(wrongFrom32);
    const { model, said } = await open({ instances: 2 });
    await using _ = model;
    await Promise.all([33, 34, 35, 36].map((count) => model.predict(tokens(count))));
    await vi.waitFor(() => expect(said).toHaveLength(1), SOON);
    await vi.waitFor(() => expect(model.executionProvider).toBe("wasm"), SOON);
    expect(model.stats().requests.failed).toBe(0);
  });

  it("has a number where WASM has NaN", async () => {
    setGpuFault(numbersForNaN);
    const { model } = await open();
    await using _ = model;
    await model.predict({ data: new Float32Array(4 * WIDTH).fill(Number.NaN), dims: [4, WIDTH] });
    await outcomeOf(model, "failed");
  });

  it.each([[{ verify: { providers: false } }], [{ verify: false }]] as const)(
    "is not looked for with %o",
    async (options) => {
      setGpuFault(wrongFrom32);
      const { model, said } = await open(options);
      await using _ = model;
      await model.predict(tokens(33));
      expect(model.stats().providerCheck).toMatchObject({ outcome: "skipped", reason: "not compared, as asked" });
      expect(said).toEqual([]);
    },
  );
});

describe("a GPU that answers as WASM does", () => {
  it("stays, for items of several sizes, and NaN and infinities agree", async () => {
    const { model, said } = await open();
    await using _ = model;
    for (const count of [2, 8, 16, 33, 64]) await model.predict(tokens(count));
    await model.predict({ data: new Float32Array(4 * WIDTH).fill(Number.NaN), dims: [4, WIDTH] });
    await vi.waitFor(() => expect(model.stats().providerCheck.comparedSizes).toHaveLength(6), SOON);
    await outcomeOf(model, "passed");
    expect(model.executionProvider).toBe("webgpu");
    expect(said).toEqual([]);
  });
});

describe("a comparison that ends its worker", () => {
  it("is not made again, fails no request, and says nothing about batches", async () => {
    let runs = 0;
    setWasmFault(() => {
      runs += 1;
      return Promise.reject(new WebAssembly.RuntimeError("unreachable"));
    });
    const { model, said } = await open();
    await using _ = model;
    await model.predict(tokens(2));
    await vi.waitFor(() => expect(said).toHaveLength(1), SOON);
    await vi.waitFor(() => expect(model.state).toBe("ready"), SOON);
    await model.predict(tokens(2));
    await vi.waitFor(() => expect(model.stats().batchCheck.outcome).toBe("passed"), SOON);
    expect(model.stats()).toMatchObject({ executionProvider: "webgpu", providerCheck: { outcome: "skipped" } });
    expect({ runs, failed: model.stats().requests.failed }).toEqual({ runs: 1, failed: 0 });
  });
});
