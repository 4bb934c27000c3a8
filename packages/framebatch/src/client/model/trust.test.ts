import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { generateModel } from "@framebatch/models/generate";
import type { BatchedModel, Outputs } from "../options/model.js";
import type { ModelOptions } from "../options/options.js";
import { modelInNode, stubBrowser } from "../../../test/support/model-in-node.js";

/** A budget that no check fits. */
const NO_TIME = { budgetMs: 0 };

function open(name: string, options: ModelOptions = {}): Promise<BatchedModel> {
  return modelInNode(generateModel(name).bytes, { executionProviders: ["wasm"], warmup: false, ...options });
}

function first(outputs: Outputs | undefined, name: string): number {
  return Number(outputs?.[name]?.data[0]);
}

/** A window of `samples` samples, whose first and loudest sample is `level`. */
function sound(level: number, samples: number): Float32Array {
  return Float32Array.from({ length: samples }, (_, index) => (index === 0 ? level : Math.sin(index) / 8));
}

/** The check runs beside the requests, and where other programs are busy it takes many of these waves. */
const MOST_WAVES = 10_000;

/** Makes requests in waves of four without a pause until `isOver`. Returns the levels with wrong results. */
async function steadyLoad(model: BatchedModel, ask: (level: number) => Promise<number>, isOver: () => boolean) {
  const wrong: number[] = [];
  let level = 1;
  for (let wave = 0; wave < MOST_WAVES && !isOver(); wave++) {
    const levels = [level++, level++, level++, level++];
    const answers = await Promise.all(levels.map(ask));
    wrong.push(...levels.filter((asked, index) => answers[index] !== asked));
  }
  expect(model.stats().requests.failed).toBe(0);
  return wrong;
}

beforeAll(() => stubBrowser());

afterAll(() => void vi.unstubAllGlobals());

describe("a model whose batches are not trusted", () => {
  it("defect 6: runs a single item as one row, whatever the allowed batch sizes", async () => {
    await using model = await open("adds-rows", { allowedBatchSizes: [4, 8] });
    const { outputs, batch } = await model.predictDetailed([1, 1, 1, 1]);
    expect(batch).toMatchObject({ size: 1, paddedSize: 1 });
    expect(first(outputs, "y")).toBe(2);
  });

  it("defect 6: runs a single item at its own length, whatever the buckets", async () => {
    for (const options of [{}, { batching: false as const }]) {
      await using model = await open("mean-of-sequence", { padding: { x: { buckets: [8] } }, ...options });
      expect(first(await model.predict([1, 1]), "mean")).toBe(1);
    }
  });

  it("is rejected if it requires several rows", async () => {
    await expect(open("adds-4-rows", { verify: NO_TIME })).rejects.toMatchObject({
      code: "BATCH_UNSAFE",
      message: expect.stringMatching(/expected rows to be independent, got .*; export the model with a dynamic batch/),
    });
  });
});

describe("a check that does not fit its budget", () => {
  it("defect 7: runs under steady load, and no result is wrong before it", async () => {
    await using model = await open("less-the-first", { verify: NO_TIME, warmup: true, batching: { release: "idle" } });
    const said: string[] = [];
    model.addEventListener("error", ({ detail }) => said.push(detail.code));
    const ask = async (level: number) => level + first(await model.predict([level, 0, 0, 0]), "y");
    const wrong = await steadyLoad(model, ask, () => said.length > 0);
    expect(wrong).toEqual([]);
    expect(said).toEqual(["BATCH_UNSAFE"]);
    expect(model.stats()).toMatchObject({ batchCheck: { outcome: "failed" }, batchSize: { max: 1 } });
  });

  it("allows batches once it has passed, while requests keep arriving", async () => {
    await using model = await open("mlp-small", { verify: NO_TIME, warmup: true, batching: { release: "idle" } });
    const ask = async (level: number) => {
      await model.predict(new Float32Array(8).fill(level));
      return level;
    };
    await steadyLoad(model, ask, () => model.stats().batchSize.max > 1);
    expect(model.stats()).toMatchObject({ batchCheck: { outcome: "passed" }, requests: { failed: 0 } });
    expect(model.stats().batchSize.max).toBeGreaterThan(1);
  });
});

describe("a model whose sizes cannot be guessed", () => {
  it("is verified with its first items, and then runs batches", async () => {
    await using model = await open("windows-of-400");
    expect(model.stats()).toMatchObject({ batchCheck: { outcome: "inconclusive" } });
    const ask = async (level: number) => first(await model.predict(sound(level, 800)), "loudest");
    const wrong = await steadyLoad(model, ask, () => model.stats().batchSize.max > 1);
    expect(wrong).toEqual([]);
    expect(model.stats()).toMatchObject({ batchCheck: { outcome: "passed" } });
  });

  it("fails its check on its first items, none of which gets a wrong result", async () => {
    await using model = await open("windows-less-the-first");
    const ask = async (level: number) => level + first(await model.predict(sound(level, 400)), "y");
    const isOver = () => model.stats().batchCheck.outcome === "failed";
    expect(await steadyLoad(model, ask, isOver)).toEqual([]);
    expect(isOver()).toBe(true);
  });

  it("runs unmodified if its batch is fixed at 1, until the rewritten model passes its check", async () => {
    await using model = await open("fixed-1-windows-of-400");
    expect(model.stats()).toMatchObject({ batchCheck: { outcome: "inconclusive" }, isRebatched: true });
    const ask = async (level: number) => first(await model.predict(sound(level, 400)), "loudest");
    const wrong = await steadyLoad(model, ask, () => model.stats().batchSize.max > 1);
    expect(wrong).toEqual([]);
    expect(model.stats()).toMatchObject({ batchCheck: { outcome: "passed" }, isRebatched: true });
  });

  it.each([
    ["reflect-padded", 16_000],
    ["wide-convolution", 16_000],
    ["windows-of-400", 16_000],
  ])("%s is verified before it is ready with samples of its own sizes", async (name, samples) => {
    const dims = name === "wide-convolution" ? [1, samples] : [samples];
    const items = [0.9, 0.3, 0.6].map((level) => ({ audio: { data: sound(level, samples), dims } }));
    for (const given of [items, items.slice(0, 1)]) {
      await using model = await open(name, { samples: given, verify: { budgetMs: 60_000 } });
      expect(model.stats()).toMatchObject({ batchCheck: { outcome: "passed" } });
    }
  });
});

describe("samples", () => {
  it("are rejected if they do not fit the model", async () => {
    await expect(open("mlp-small", { samples: [[1, 2, 3]] })).rejects.toMatchObject({
      code: "INVALID_OPTION",
      message: expect.stringMatching(/^samples\[0\]: .*expected/),
      details: { option: "samples" },
    });
  });

  it("must be a list of data", async () => {
    for (const samples of [[], {}, [() => 1], ["text"]]) {
      const opened = open("mlp-small", Object.fromEntries([["samples", samples]]));
      await expect(opened).rejects.toMatchObject({ code: "INVALID_OPTION", details: { option: "samples" } });
    }
  });
});
