import type { Page } from "@playwright/test";
import { ownHarness } from "../support/pages/own-harness.js";
import { MODEL_PATHS } from "../support/sites/site.js";
import { expect, LONG, test as base } from "../support/test.js";

/**
 * The limit of WebAssembly memory, in pages of 64 KiB: enough for ONNX Runtime and a few large items, but not for many.
 */
const MAX_PAGES = 640;

/** The number of elements of an item: 1 MB. */
const LENGTH = 2 ** 18;
const COUNT = 32;

/** `tightPage`: a page with little WebAssembly memory. */
const test = base.extend<{ tightPage: Page }>({
  tightPage: ownHarness(`--js-flags=--wasm-max-mem-pages=${MAX_PAGES}`),
});

test("with little WebAssembly memory, a batch that is too large runs in parts, and later batches are smaller", async ({
  tightPage,
}) => {
  const result = await tightPage.evaluate(
    async ({ url, length, count }) => {
      const { createBatchedModel, failureOf } = window.harness;
      // In the release mode "window", the batch size does not depend on measured run times.
      const batching = { release: "window" } as const;
      const options = { executionProviders: ["wasm"], batching, maxBatchSize: count, verify: false } as const;
      const model = await createBatchedModel(url, options);
      const states: string[] = [];
      model.addEventListener("statechange", ({ detail }) => states.push(detail.state));
      const round = async () => {
        const sizes: number[] = [];
        const hear = ({ detail }: { detail: { size: number } }) => void sizes.push(detail.size);
        model.addEventListener("batch", hear);
        const items = Array.from({ length: count }, (_, index) => new Float32Array(length).fill(index));
        const outputs = await Promise.all(items.map((seq) => model.predict({ seq })));
        model.removeEventListener("batch", hear);
        const wrong = outputs.filter((output, index) => {
          const data = new Float32Array(length).fill(2 * index + 1);
          return window.harness.distance(output, { y: { dims: [1, length], data } }) !== 0;
        });
        return { wrong: wrong.length, largest: Math.max(...sizes) };
      };
      const rounds = [await round(), await round()];
      const tooLarge = await failureOf(model.predict({ seq: new Float32Array(64 * length) }));
      const last = await round();
      await model.dispose();
      return { rounds, tooLarge, last, states };
    },
    { url: MODEL_PATHS["variable-length"], length: LENGTH, count: COUNT },
  );
  expect(result.rounds[0]?.wrong).toBe(0);
  expect(result.rounds[1]?.wrong).toBe(0);
  expect(result.rounds[0]?.largest).toBe(COUNT);
  expect(result.rounds[1]?.largest).toBeLessThan(COUNT);
  expect(result.tooLarge).toMatchObject({ code: "OUT_OF_MEMORY" });
  expect(result.last.wrong).toBe(0);
  expect(result.states).toEqual(["disposed"]);
});

test(
  "if the warm-up has no memory for a batch size, the model is ready and halves its batches",
  { tag: LONG },
  async ({ tightPage }) => {
    // Retries, because on a busy machine the warm-up may run out of time before a batch of eight.
    await expect(async () => {
      const result = await predictLargeRows(tightPage);
      expect(result).toMatchObject({ wrong: 0, trials: [["wasm", true]] });
      expect(result.check).not.toBe("failed");
      expect(result.largest).toBeLessThanOrEqual(4);
    }).toPass();
  },
);

/** Predicts with rows of 2 MB: there is memory for a few rows, but not for eight. */
function predictLargeRows(page: Page) {
  return page.evaluate(
    async ({ url, length, count }) => {
      const padding = { seq: { buckets: [2 * length] } };
      const model = await window.harness.createBatchedModel(url, { executionProviders: ["wasm"], padding });
      const sizes: number[] = [];
      model.addEventListener("batch", ({ detail }) => sizes.push(detail.size));
      const items = Array.from({ length: count }, (_, index) => new Float32Array(length).fill(index));
      const outputs = await Promise.all(items.map((seq) => model.predict({ seq })));
      const wrong = outputs.filter((output, index) => {
        const data = new Float32Array(length).fill(2 * index + 1);
        return window.harness.distance(output, { y: { dims: [1, length], data } }) !== 0;
      });
      const { batchCheck, providerTrials } = model.stats();
      await model.dispose();
      const trials = providerTrials.map(({ provider, chosen }) => [provider, chosen]);
      return { wrong: wrong.length, largest: Math.max(...sizes), check: batchCheck.outcome, trials };
    },
    { url: MODEL_PATHS["variable-length"], length: LENGTH, count: COUNT },
  );
}

test("a group keeps its models within its limit, and a batch that is too large runs in parts", async ({ harness }) => {
  const result = await harness.evaluate(
    async ({ url, other, length, count, maxMemoryBytes }) => {
      const { createBatchedModel, createModelGroup, failureOf, itemsFor } = window.harness;
      const group = createModelGroup({ executionProviders: ["wasm"], maxMemoryBytes });
      const batching = { release: "window" } as const;
      const [model, small] = await Promise.all([
        createBatchedModel(url, { group, batching, maxBatchSize: count, verify: false }),
        createBatchedModel(other, { group }),
      ]);
      const items = Array.from({ length: count }, (_, index) => new Float32Array(length).fill(index));
      const outputs = await Promise.all(items.map((seq) => model.predict({ seq })));
      const wrong = outputs.filter(({ y }, index) => Number(y?.data[length - 1]) !== 2 * index + 1);
      const tooLarge = await failureOf(model.predict({ seq: new Float32Array(64 * length) }));
      const others = await small.predictMany(itemsFor("mlp-tiny", 2));
      const { memoryBytes } = group.stats();
      await group.dispose();
      return { wrong: wrong.length, tooLarge, others: others.length, memoryBytes };
    },
    {
      url: MODEL_PATHS["variable-length"],
      other: MODEL_PATHS["mlp-tiny"],
      length: LENGTH,
      count: COUNT,
      maxMemoryBytes: MAX_PAGES * 2 ** 16,
    },
  );
  expect(result).toMatchObject({ wrong: 0, others: 2 });
  expect(result.tooLarge).toMatchObject({
    code: "OUT_OF_MEMORY",
    message: expect.stringContaining(`maxMemoryBytes: ${MAX_PAGES * 2 ** 16}`),
  });
  expect(result.memoryBytes).toBeLessThanOrEqual(MAX_PAGES * 2 ** 16);
  // Batches that fit have made it grow.
  expect(result.memoryBytes).toBeGreaterThan(MAX_PAGES * 2 ** 15);
});

test(
  "a hub in a group answers requests of models that do not fit together, and returns what they leave",
  { tag: LONG },
  async ({ harness }) => {
    const result = await harness.evaluate(async (url) => {
      const { createBatchedModel, createModelGroup, createModelHub } = window.harness;
      const { started, stop } = window.harness.watchWorkers();
      const options = { warmup: false, verify: false } as const;
      const measured = createModelGroup({ executionProviders: ["wasm"] });
      const alone = await createBatchedModel(url, { group: measured, ...options });
      const oneBytes = measured.stats().memoryBytes;
      const ofModelBytes = alone.stats().memoryBytes;
      await measured.dispose();
      // Room for one, and for half of another.
      const maxMemoryBytes = Math.floor(oneBytes + ofModelBytes / 2);
      const group = createModelGroup({ executionProviders: ["wasm"], maxMemoryBytes });
      const hub = createModelHub({ group });
      const names = ["a", "b", "c"];
      for (const name of names) hub.register(name, url, options);
      const line = { x: { data: new Float32Array(3 * 48 * 32), dims: [3, 48, 32] } };
      const ask = async (name: string) => Object.values(await (await hub.get(name)).predict(line)).length;
      const answers: number[] = [];
      for (let round = 0; round < 2; round++) answers.push(...(await Promise.all(names.map(ask))));
      const { memoryBytes, loads, unloads } = hub.stats();
      const workers = started.length;
      for (const name of names) await hub.unload(name);
      const left = hub.stats().memoryBytes;
      await hub.dispose();
      await group.dispose();
      stop();
      return { answers, memoryBytes, maxMemoryBytes, ofModelBytes, loads, unloads, workers, left };
    }, "/ocr-models/ch_PP-OCRv4_rec_infer.onnx");
    test.info().annotations.push({ type: "hub", description: JSON.stringify(result) });
    expect(result.answers).toEqual([1, 1, 1, 1, 1, 1]);
    expect(result.memoryBytes).toBeLessThanOrEqual(result.maxMemoryBytes);
    expect(result.unloads).toBeGreaterThan(2);
    expect(result.workers).toBeGreaterThan(2);
    expect(result.left).toBe(0);
  },
);
