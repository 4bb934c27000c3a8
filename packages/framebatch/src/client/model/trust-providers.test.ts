import * as ort from "onnxruntime-web/wasm";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { generateModel } from "@framebatch/models/generate";
import type { BatchedModel, Outputs } from "../options/model.js";
import type { ModelOptions } from "../options/options.js";
import { setGpuFault, type GpuFault } from "../../../test/support/gpu-runtime.js";
import { hostSite } from "../../../test/support/channel-worker.js";
import { modelInNode, stubBrowser } from "../../../test/support/model-in-node.js";
import { planAt } from "../../../test/support/scripted-plan.js";
import { openSession } from "../workers/model-session.js";
import { PinnedFiles } from "../workers/pinned-files.js";

vi.mock("onnxruntime-web/webgpu", () => import("../../../test/support/gpu-runtime.js"));
vi.mock("onnxruntime-web/jspi", () => import("../../../test/support/gpu-runtime.js"));

function open(name: string, options: ModelOptions = {}): Promise<BatchedModel> {
  return modelInNode(generateModel(name).bytes, { warmup: false, batching: { release: "idle" }, ...options });
}

function trialsOf(model: BatchedModel): string[] {
  return model.stats().providerTrials.map(({ provider, chosen }) => `${provider} ${chosen ? "chosen" : "passed over"}`);
}

function first(outputs: Outputs | undefined, name: string): number {
  return Number(outputs?.[name]?.data[0]);
}

function sound(level: number, samples: number): Float32Array {
  return Float32Array.from({ length: samples }, (_, index) => (index === 0 ? level : Math.sin(index) / 8));
}

function rowsOf(feeds: Parameters<GpuFault>[0]): number {
  const [input] = Object.values(feeds);
  return input instanceof ort.Tensor ? (input.dims[0] ?? 0) : 0;
}

/** A GPU that returns wrong results for every batch of several rows. */
const mixesRows: GpuFault = async (feeds, run) => {
  const outputs = await run(feeds);
  if (rowsOf(feeds) === 1) return outputs;
  return Object.fromEntries(
    Object.entries(outputs).map(([name, { data, dims }]) => [
      name,
      new ort.Tensor(
        "float32",
        Float32Array.from(Array.from<unknown>(data), (value) => Number(value) + rowsOf(feeds)),
        dims,
      ),
    ]),
  );
};

/** A GPU that crashes its worker with every batch of several rows. */
const trapsOnBatches: GpuFault = async (feeds, run) => {
  if (rowsOf(feeds) > 1) throw new WebAssembly.RuntimeError("unreachable");
  return run(feeds);
};

const NO_TIME = { budgetMs: 0 };
/** Long enough for a busy machine. */
const SOON = { timeout: 60_000 };

beforeAll(() => stubBrowser({ hasGpu: true }));

afterAll(() => void vi.unstubAllGlobals());
afterEach(() => setGpuFault(null));

describe("a provider that runs none of the guessed sizes", () => {
  it.each(["wide-convolution", "reflect-padded"])(
    "defect 30: does not exist for %s, because larger sizes are guessed too",
    async (name) => {
      await using model = await open(name);
      expect(model.executionProvider).toBe("webgpu");
      expect(model.stats()).toMatchObject({ providerTrials: [{ provider: "webgpu", chosen: true }] });
    },
  );

  it("defect 30: is accepted until the first item, with or without other providers", async () => {
    for (const executionProviders of [["webgpu"], ["webgpu", "wasm"]] as const) {
      await using model = await open("windows-of-400", { executionProviders });
      expect(model.stats().providerTrials).toMatchObject([
        { provider: "webgpu", chosen: true, reason: expect.stringContaining("not run yet: on guessed sizes") },
      ]);
      expect(first(await model.predict(sound(5, 400)), "loudest")).toBe(5);
      expect(model.executionProvider).toBe("webgpu");
    }
  });

  it("is replaced by the next provider if the first item does not run on it, and the item is answered", async () => {
    setGpuFault(() => Promise.reject(new Error("[WebGPU] no such kernel")));
    await using model = await open("windows-of-400");
    expect(model.executionProvider).toBe("webgpu");
    const answers = await model.predictMany([sound(5, 400), sound(6, 400), sound(7, 400)]);
    expect(answers.map((outputs) => first(outputs, "loudest"))).toEqual([5, 6, 7]);
    expect(model.executionProvider).toBe("wasm");
    expect(trialsOf(model)).toEqual(["webgpu passed over", "wasm chosen"]);
    expect(model.stats().providerTrials[0]?.reason).toContain("no such kernel");
  });

  it("is kept if an item runs on no provider, and other items still succeed", async () => {
    await using model = await open("windows-of-400");
    const ends = await Promise.allSettled([401, 400, 800].map((samples) => model.predict(sound(5, samples))));
    expect(ends.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled"]);
    expect(ends[0]).toMatchObject({ reason: { code: "INFERENCE_FAILED" } });
    expect(model.executionProvider).toBe("webgpu");
  });
});

it("a provider that lacks an operator is passed over, with what to do only if there is no other", async () => {
  const lack = "expected operators that ONNX Runtime has for a GPU, got ai.onnx.ml.TreeEnsembleClassifier";
  await using model = await open("label-of-one", { executionProviders: ["webgpu", "wasm"] });
  expect(model.stats().providerTrials).toMatchObject([{ provider: "webgpu", reason: lack }, { provider: "wasm" }]);
  await expect(open("label-of-one", { executionProviders: ["webgpu"] })).rejects.toMatchObject({
    code: "UNSUPPORTED",
    message: expect.stringContaining(`${lack}; leave executionProviders out, or add "wasm"`),
  });
});

describe("a provider with wrong batches", () => {
  it("is replaced before the model is ready if the budget allows", async () => {
    setGpuFault(mixesRows);
    await using model = await open("mlp-small", { verify: { budgetMs: 60_000 } });
    expect(trialsOf(model)).toEqual(["webgpu passed over", "wasm chosen"]);
    expect(model.stats().batchCheck.outcome).toBe("passed");
  });

  it("is replaced later, without an event, a lost request or a wrong result", async () => {
    setGpuFault(mixesRows);
    await using model = await open("mlp-small", { verify: NO_TIME, warmup: true });
    const said: string[] = [];
    model.addEventListener("error", ({ detail }) => said.push(detail.code));
    expect(model.executionProvider).toBe("webgpu");
    const right = await model.predict(new Float32Array(8).fill(1));
    const answers: Outputs[] = [];
    while (model.executionProvider === "webgpu" || model.stats().batchSize.max === 1) {
      answers.push(...(await model.predictMany(Array.from({ length: 4 }, () => new Float32Array(8).fill(1)))));
    }
    for (const { y } of answers) expect(Number(y?.data[0])).toBeCloseTo(first(right, "y"), 4);
    expect(trialsOf(model)).toEqual(["webgpu passed over", "wasm chosen"]);
    expect(model.stats().requests.failed).toBe(0);
    expect(said).toEqual([]);
  });

  it("is kept for single items if framebatch has put WASM first: the model would mix its rows on the GPU, too", async () => {
    const plan = planAt(hostSite());
    const files = new PinnedFiles({ blob: new Blob([generateModel("mixes-rows").bytes]) }, []);
    const request = { ...plan.request, isAutomatic: true, isDecided: true, verifyBudgetMs: 60_000 };
    const listener = { onChecked: () => undefined, onCompared: () => undefined, onDeath: () => undefined };
    const { signal } = new AbortController();
    const { trials, batchCheck, client } = await openSession(
      { ...plan, files, request },
      ["wasm", "webgpu"],
      signal,
      listener,
    );
    expect(trials).toMatchObject([{ provider: "wasm", chosen: true }]);
    expect(batchCheck().outcome).toBe("failed");
    client.terminate(null);
  });

  it.each(["mixes-rows", "whole-mean"])(
    "is kept for single items, also after a restart, if the graph shows that the model mixes its rows: %s",
    async (name) => {
      for (const verify of [{ budgetMs: 60_000 }, NO_TIME]) {
        await using model = await open(name, { executionProviders: ["webgpu", "wasm"], verify });
        for (const again of [false, true]) {
          if (again) await model.restart();
          expect(trialsOf(model)).toEqual(["webgpu chosen"]);
          expect(model.stats().batchCheck).toMatchObject({ outcome: "failed" });
        }
      }
    },
  );

  it("is kept for single items if there is no other provider", async () => {
    setGpuFault(mixesRows);
    await using model = await open("mlp-small", { verify: NO_TIME, warmup: true, executionProviders: ["webgpu"] });
    await vi.waitFor(() => expect(model.stats().batchCheck.outcome).toBe("failed"), SOON);
    await model.predictMany(Array.from({ length: 4 }, () => new Float32Array(8)));
    expect(model.stats().batchSize.max).toBe(1);
  });

  it("is replaced for all workers that run on it", async () => {
    setGpuFault(mixesRows);
    await using model = await open("mlp-small", { verify: NO_TIME, warmup: true, instances: 2 });
    await vi.waitFor(() => expect(model.stats().batchCheck).toMatchObject({ outcome: "passed" }), SOON);
    expect(model.executionProvider).toBe("wasm");
  });
});

describe("a check that crashes its worker", () => {
  it.each([
    ["before the model is ready", { verify: { budgetMs: 60_000 } }],
    ["later", { verify: NO_TIME, warmup: true }],
  ])("counts as failed, and does not run again: %s", async (_when, options) => {
    setGpuFault(trapsOnBatches);
    await using model = await open("two-inputs", { executionProviders: ["webgpu"], ...options });
    await vi.waitFor(() => expect(model.state).toBe("ready"), SOON);
    await vi.waitFor(() => expect(model.stats().batchCheck.outcome).toBe("failed"), SOON);
    const item = { a: new Float32Array(4), b: new Float32Array(4) };
    await model.predictMany([item, item, item]);
    expect(model.stats()).toMatchObject({ state: "ready", batchSize: { max: 1 }, requests: { failed: 0 } });
  });
});
