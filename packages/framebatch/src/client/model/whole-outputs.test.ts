import { generateModel } from "@framebatch/models/generate";
import { afterEach, describe, expect, it, vi } from "vitest";
import { InferenceServer } from "../../../test/support/inference-server.js";
import { modelInNode, stubBrowser } from "../../../test/support/model-in-node.js";
import { createRemoteModel } from "../api/packaged-remote.js";
import type { BatchedModel } from "../options/model.js";
import type { Outputs } from "@framebatch/rows/tensor/tensor.js";
import type { ModelOptions } from "../options/options.js";

afterEach(() => vi.unstubAllGlobals());

/** Loads a generated model on WASM, whose check has all the time that it needs. */
async function load(name: string, options: ModelOptions = {}): Promise<BatchedModel> {
  stubBrowser();
  const usual = {
    executionProviders: ["wasm"],
    sessionOptions: { logSeverityLevel: 4 },
    verify: { budgetMs: 600_000 },
    batching: { release: "window" },
  } as const;
  return modelInNode(generateModel(name).bytes, { ...usual, maxQueueDelayMs: 5, ...options });
}

/** What a model makes of items that are asked together, three times. */
async function askTogether(name: string, items: readonly Float32Array[], options: ModelOptions = {}) {
  const model = await load(name, options);
  const rounds = [];
  for (let round = 0; round < 3; round++) {
    const answers = await Promise.all(items.map((item) => model.predictDetailed(item)));
    rounds.push(answers.map(({ outputs }) => outputs));
  }
  const { batchCheck, isRebatched } = model.stats();
  const sizes = (await Promise.all(items.map((item) => model.predictDetailed(item)))).map(
    ({ batch }) => batch?.size ?? 0,
  );
  await model.dispose();
  return { rounds, batchCheck, isRebatched, largestBatch: Math.max(...sizes) };
}

function numbersOf(outputs: Outputs, name: string): number[] {
  return Array.from<unknown>(outputs[name]?.data ?? []).map(Number);
}

/** An image of six rows, of which the first `objects` are boxes with an object. */
function image(of: number, objects: number): Float32Array {
  const row = (index: number) => [10 * index + of, 10 * index + of, 10 * index + 5 + of, 10 * index + 5 + of];
  return Float32Array.from(Array.from({ length: 6 }, (_, at) => [...row(at), at < objects ? 7.25 : 0.1]).flat());
}

const COUNTS = [2, 0, 1, 3, 0, 1, 2, 1];
const IMAGES = COUNTS.map((objects, index) => image(index / 100, objects));
/**
 * Two objects at most, as many in each: an image then cannot tell its detections from those of another by their number.
 */
const ALIKE = [1, 1, 1, 1].map((objects, index) => ({ x: image(1 + index / 100, objects) }));
const EMPTY = [0, 0, 0, 0].map((objects, index) => ({ x: image(1 + index / 100, objects) }));

describe("detections, which all items of a batch decide together", () => {
  const whole = { batchAxis: { detections: null } };
  it.each([
    { name: "whole-boxes-fixed-1", options: {} },
    { name: "whole-boxes-fixed-1", options: whole },
    { name: "whole-boxes-fixed-1", options: { samples: ALIKE } },
    { name: "whole-boxes-fixed-1", options: { rebatch: "off" } },
    { name: "whole-boxes", options: {} },
    { name: "whole-boxes", options: whole },
    { name: "whole-boxes", options: { samples: ALIKE } },
    { name: "whole-boxes", options: { verify: false } },
    { name: "whole-places", options: {} },
    { name: "whole-places", options: whole },
    { name: "whole-places", options: { ...whole, samples: ALIKE } },
    { name: "whole-places", options: { ...whole, samples: EMPTY } },
    { name: "whole-places", options: { verify: false, warmup: false } },
    { name: "whole-places", options: { maxBatchSize: 1 } },
  ] satisfies { name: string; options: ModelOptions }[])(
    "are those of each item: $name with $options",
    async ({ name, options }) => {
      const { rounds, batchCheck, largestBatch } = await askTogether(name, IMAGES, options);
      for (const answers of rounds) {
        expect(answers.map(({ detections }) => detections?.dims)).toEqual(COUNTS.map((objects) => [objects, 5]));
        const own = IMAGES.map((x, index) => [...x.subarray(0, 5 * COUNTS[index]!)]);
        expect(answers.map((answer) => numbersOf(answer, "detections"))).toEqual(own);
      }
      expect(largestBatch).toBe(1);
      expect(batchCheck.outcome).not.toBe("passed");
    },
  );
});

describe("detections of a server", () => {
  it("are those of each item, too: items are sent one by one", async () => {
    stubBrowser();
    const server = await InferenceServer.start(generateModel("whole-places").bytes);
    try {
      const options = { model: "digits", batchAxis: { detections: null }, batching: { release: "window" } } as const;
      await using model = await createRemoteModel(server.url, { ...options, maxQueueDelayMs: 5 });
      const answers = await Promise.all(IMAGES.map((x) => model.predict(x)));
      expect(answers.map(({ detections }) => detections?.dims)).toEqual(COUNTS.map((objects) => [objects, 5]));
    } finally {
      await server.close();
    }
  });
});

/** Eight items of this many numbers, all different. */
function eightOf(length: number): Float32Array[] {
  return Array.from({ length: 8 }, (_, item) => Float32Array.from({ length }, (__, at) => item + at / 8));
}

describe("an output with several rows for each item", () => {
  it.each([
    { name: "folded-rows", options: {} },
    { name: "folded-rows", options: { batchAxis: { y: 0 } } },
    { name: "folded-rows", options: { warmup: false } },
    { name: "folded-rows-unnamed", options: {} },
    { name: "folded-rows-unnamed", options: { warmup: false } },
    { name: "folded-rows-fixed-1", options: {} },
  ] satisfies { name: string; options: ModelOptions }[])(
    "is divided: $name with $options",
    async ({ name, options }) => {
      const given = eightOf(20);
      const { rounds, batchCheck, largestBatch } = await askTogether(name, given, options);
      for (const answers of rounds) {
        expect(answers.map(({ y }) => y?.dims)).toEqual(given.map(() => [5, 4]));
        expect(answers.map((answer) => numbersOf(answer, "y"))).toEqual(
          given.map((item) => [...item].map((x) => 2 * x)),
        );
      }
      expect(batchCheck.outcome).toBe("passed");
      expect(largestBatch).toBeGreaterThan(1);
    },
  );

  it("has its own sizes if it runs alone, too", async () => {
    const { rounds } = await askTogether("folded-rows-fixed-1", eightOf(20), { rebatch: "off" });
    expect(rounds.flat().map(({ y }) => y?.dims)).toEqual(Array.from({ length: 24 }, () => [5, 4]));
  });
});

describe("an output without rows in its declaration", () => {
  it.each([{}, { verify: false }, { maxBatchSize: 1 }] as const)(
    "is split if runs show rows, with %j",
    async (options) => {
      const given = eightOf(4).map((item, index) => (index % 2 === 0 ? item.fill(-1, 0, 1) : item.fill(1, 0, 1)));
      const { rounds, largestBatch } = await askTogether("label-of-one", given, options);
      for (const answers of rounds) {
        expect(answers.map(({ label }) => label?.dims)).toEqual(given.map(() => []));
        const labels = given.map(([first = 0, second = 0]) => (first <= 0 ? 0 : second <= 0.5 ? 1 : 2));
        expect(answers.map((answer) => numbersOf(answer, "label"))).toEqual(labels.map((label) => [label]));
      }
      expect(largestBatch > 1).toBe(!("maxBatchSize" in options));
    },
  );

  it("is given to each item if it is constant, in batches", async () => {
    const { rounds, batchCheck, largestBatch } = await askTogether("whole-constant", eightOf(4));
    expect(rounds.flat().every((answer) => numbersOf(answer, "classes").join() === "3,5,8")).toBe(true);
    expect(batchCheck.outcome).toBe("passed");
    expect(largestBatch).toBeGreaterThan(1);
  });

  it.each([{}, { batchAxis: { mean: null } }, { verify: false }] as const)(
    "is that of the item alone if items change it, with %j",
    async (options) => {
      const given = eightOf(4);
      const { rounds, batchCheck, largestBatch } = await askTogether("whole-mean", given, options);
      const means = given.map((item) => [item.reduce((sum, x) => sum + x, 0) / 4]);
      for (const answers of rounds) expect(answers.map((answer) => numbersOf(answer, "mean"))).toEqual(means);
      expect(batchCheck).toMatchObject({ outcome: "failed", reason: expect.stringContaining("ReduceMean") });
      expect(largestBatch).toBe(1);
    },
  );
});

describe("the label of a rare class, which is 0 for all other items", () => {
  const usual = () => eightOf(4).map((item, index) => item.fill(index % 2 === 0 ? -1 : 1, 0, 1).fill(0, 1, 2));
  const rare = () => Float32Array.of(1, 2e6, 0, 0);

  it("leaves batches to a forest that its graph shows to answer each row alone, at load", async () => {
    const { batchCheck, largestBatch } = await askTogether("rare-label", usual());
    expect(batchCheck.outcome).toBe("passed");
    expect(largestBatch).toBeGreaterThan(1);
  });

  it.each([
    { name: "rare-label-turned", found: "passed" },
    { name: "rare-label-mixes", found: "failed" },
  ])("decides about $name when the first rare item comes, and not before", async ({ name, found }) => {
    await using model = await load(name);
    const ask = (items: readonly Float32Array[]) => Promise.all(items.map((item) => model.predict(item)));
    for (let round = 0; round < 5; round++) await ask(usual());
    expect(model.stats().batchCheck.outcome).toBe("inconclusive");
    const labels = (await ask([...usual(), rare()])).map((answer) => numbersOf(answer, "label")[0]);
    expect(labels).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 2]);
    await expect.poll(() => model.stats().batchCheck.outcome).toBe(found);
    const again = (await ask([...usual(), rare()])).map((answer) => numbersOf(answer, "label")[0]);
    expect(again).toEqual(labels);
  });
});

describe("a model whose outputs a run of several rows has shown", () => {
  it.each(["whole-mean", "folded-rows-unnamed", "whole-boxes"])(
    "loads again after its check has failed: %s",
    async (name) => {
      const model = await load(name);
      const { outputs } = model;
      const item = new Float32Array(
        model.inputs[0]!.dims.slice(1).reduce<number>((size, dim) => size * (dim ?? 1), 1),
      ).fill(1);
      const before = await model.predict(item);
      await model.restart();
      expect(await model.predict(item)).toEqual(before);
      expect(model.outputs).toEqual(outputs);
      await model.dispose();
    },
  );
});
