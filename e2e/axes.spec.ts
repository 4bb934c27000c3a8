import { readFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Page } from "@playwright/test";
import type { ModelOptions } from "framebatch";
import { InferenceSession, Tensor } from "onnxruntime-web";
import { expect, test } from "./support/test.js";

const MODELS = fileURLToPath(new URL("../models/dist/", import.meta.url));
const COUNT = 10;

interface Part {
  readonly dims: readonly number[];
  readonly data: readonly number[];
}

type Parts = Readonly<Record<string, Part>>;

interface AxesCase {
  readonly what: string;
  readonly model: string;
  /** The `index`th item, as a caller of framebatch gives it. */
  readonly item: (index: number) => Parts;
  /** Dims with which ONNX Runtime takes one item alone, where they are not those of the item behind a batch of one. */
  readonly directDims?: Readonly<Record<string, readonly number[]>>;
  /** How often the item is repeated to fill the batch that the model wants. */
  readonly copies?: number;
  /** Requests in the largest batch of a burst of ten. */
  readonly largestBatch: number;
}

const CASES: readonly AxesCase[] = [
  {
    what: "a batch that is not the first axis",
    model: "inner-batch-axis",
    item: (index) => ({ state: part([2, 8], index) }),
    directDims: { state: [2, 1, 8] },
    largestBatch: COUNT,
  },
  {
    what: "a scalar that a batch shares",
    model: "shared-scalar",
    item: (index) => ({ x: part([4], index), gain: { dims: [], data: [1 + (index % 2)] } }),
    directDims: { gain: [] },
    largestBatch: COUNT / 2,
  },
  {
    what: "several inputs and outputs",
    model: "two-inputs",
    item: (index) => ({ a: part([4], index), b: part([4], index + 100) }),
    largestBatch: COUNT,
  },
  {
    what: "a batch fixed at four",
    model: "mlp-fixed-4",
    item: (index) => ({ x: part([8], index) }),
    copies: 4,
    largestBatch: 4,
  },
  {
    what: "a batch fixed at one",
    model: "mlp-fixed-1",
    item: (index) => ({ x: part([8], index) }),
    largestBatch: 1,
  },
];

for (const axes of CASES) {
  test(`${axes.what}: answers equal those of ONNX Runtime called directly`, async ({ harness }) => {
    const items = Array.from({ length: COUNT }, (_, index) => axes.item(index));
    const direct = await runDirectly(axes, items);
    for (const warmup of [true, false]) {
      const { results, largestBatch } = await predictAll(harness, axes.model, items, { warmup });
      for (const [index, result] of results.entries()) expectClose(result, direct[index]);
      // Nothing is known of run times without a warm-up, so that a burst leaves in batches as large as can be.
      if (!warmup) expect(largestBatch).toBe(axes.largestBatch);
    }
  });
}

const INTEGER_TYPES = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"];

for (const type of ["float16", "float32", "float64", ...INTEGER_TYPES]) {
  test(`tensors of ${type} come back as twice the input and one`, async ({ harness }) => {
    const items = Array.from({ length: COUNT }, (_, index) => ({ x: part([4], index, type.startsWith("float")) }));
    const { results } = await predictAll(harness, `affine-${type}`, items, {});
    expect(results).toEqual(items.map(({ x }) => ({ y: { dims: [4], data: x.data.map((value) => 2 * value + 1) } })));
  });
}

test("an output without rows is refused, with a word on batchAxis", async ({ harness }) => {
  const loading = predictAll(harness, "no-batch-output", [], {});
  await expect(loading).rejects.toThrow(/output "total": expected a dynamic batch dimension, got \[4\]; set batchAxis/);
});

/** Numbers of which no two items have the same; quarters are exact in every floating-point type. */
function part(dims: readonly number[], seed: number, isFraction = true): Part {
  const length = dims.reduce((product, size) => product * size, 1);
  const data = Array.from({ length }, (_, index) => (7 * seed + 3 * index + seed * index) % 53);
  return { dims, data: isFraction ? data.map((value) => value / 4) : data };
}

/** All in one burst. */
function predictAll(harness: Page, model: string, items: readonly Parts[], options: ModelOptions) {
  return harness.evaluate(
    async ({ url, sent, asked }) => {
      const loaded = await window.harness.createBatchedModel(url, { executionProviders: ["wasm"], ...asked });
      const predictions = sent.map((item) => loaded.predict(item));
      loaded.flush();
      const outputs = await Promise.all(predictions);
      const results = outputs.map((output) =>
        Object.fromEntries(
          Object.entries(output).map(([name, { dims, data }]) => [
            name,
            { dims, data: Array.from<unknown, number>(data, Number) },
          ]),
        ),
      );
      const largestBatch = loaded.stats().batchSize.max;
      await loaded.dispose();
      return { results, largestBatch };
    },
    { url: `/models/${model}.onnx`, sent: items, asked: options },
  );
}

/** One item a run. */
async function runDirectly({ model, directDims = {}, copies = 1 }: AxesCase, items: readonly Parts[]) {
  const session = await InferenceSession.create(await readFile(path.join(MODELS, `${model}.onnx`)));
  const all: Record<string, number[]>[] = [];
  for (const item of items) {
    const feeds: Record<string, Tensor> = {};
    for (const [name, { dims, data }] of Object.entries(item)) {
      const rows = Array.from({ length: copies }, () => data).flat();
      feeds[name] = new Tensor("float32", Float32Array.from(rows), directDims[name] ?? [copies, ...dims]);
    }
    const outputs = Object.entries(await session.run(feeds));
    all.push(Object.fromEntries(outputs.map(([name, { data }]) => [name, Array.from<unknown, number>(data, Number)])));
  }
  await session.release();
  return all;
}

/** The direct answer may hold copies of the row behind the first. */
function expectClose(result: Parts | undefined, direct: Readonly<Record<string, number[]>> | undefined) {
  expect(Object.keys(result ?? {}).toSorted()).toEqual(Object.keys(direct ?? {}).toSorted());
  for (const [name, { data }] of Object.entries(result ?? {})) {
    for (const [index, value] of data.entries()) expect(value).toBeCloseTo(direct?.[name]?.[index] ?? NaN, 4);
  }
}
