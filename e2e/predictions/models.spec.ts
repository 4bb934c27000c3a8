import type { TestedProvider } from "../support/tested-provider.js";
import type { BothWays, BothWaysRequest, PlainOutputs } from "../fixtures/both-ways.js";
import { CASE_GROUPS, type ModelCase } from "../support/model-cases.js";
import { expect, IS_COMPLETE, LONG, SLOW_ON_GPU, test } from "../support/test.js";

/**
 * The number of items, and the max batch size. Fewer on WebGPU: a GPU in software is slow, and compiles shaders per
 * size.
 */
const COUNT = { wasm: 10, webgpu: 4 };
/** The tolerance, as a share of the largest number of an output. */
const TOLERANCE = 1e-4;

for (const { about, cases, left } of CASE_GROUPS) {
  const tag = left === undefined ? [] : left === "to WASM" ? SLOW_ON_GPU : LONG;
  // All cases of a group share one page, so that the direct ONNX Runtime is compiled once.
  test(`${about}: answers equal those of ONNX Runtime called directly`, { tag }, async ({ harness, provider }) => {
    for (const asked of cases) {
      await test.step(`${asked.model}: ${asked.what}`, async () => {
        const request = requestFor(asked, provider);
        const answers = await harness.evaluate((sent) => window.harness.answerBothWays(sent), request);
        expectAsAsked(asked, provider, answers);
      });
    }
  });
}

test(
  "an output that all items of a batch decide is that of the item alone",
  { tag: SLOW_ON_GPU },
  async ({ harness }) => {
    const found = await harness.evaluate(async (url) => {
      const model = await window.harness.createBatchedModel(url, { executionProviders: ["wasm"] });
      const outputs = await Promise.all([1, 2, 3].map((x) => model.predict([x, 2, 3, 4])));
      const { batchCheck } = model.stats();
      await model.dispose();
      return { totals: outputs.map(({ total }) => Array.from<unknown>(total?.data ?? [])), batchCheck };
    }, "/models/no-batch-output.onnx");
    expect(found.totals).toEqual([1, 2, 3].map((x) => [x, 2, 3, 4]));
    expect(found.batchCheck).toMatchObject({ outcome: "failed", reason: expect.stringContaining("ReduceSum") });
  },
);

function requestFor(
  { model, item, options, leftOut, batchAxes, copies }: ModelCase,
  provider: TestedProvider,
): BothWaysRequest {
  return {
    url: `/models/${model}.onnx`,
    items: Array.from({ length: COUNT[provider] }, (_, index) => item(index)),
    options: {
      executionProviders: provider === "webgpu" ? ["webgpu", "wasm"] : ["wasm"],
      maxBatchSize: Math.max(COUNT[provider], copies ?? 1),
      cache: false,
      warmup: false,
      // The size of a batch then does not depend on measured times.
      batching: { release: "window" },
      // Long limits, because a GPU in software is slow.
      verify: { budgetMs: 600_000 },
      runTimeoutMs: 600_000,
      ...options,
    },
    leftOut: leftOut ?? [],
    batchAxes: batchAxes ?? {},
    copies: copies ?? 1,
    isGrouped: !IS_COMPLETE,
  };
}

function expectAsAsked(asked: ModelCase, provider: TestedProvider, { batched, direct, stats, said }: BothWays): void {
  expect(batched).toHaveLength(COUNT[provider]);
  for (const [index, outputs] of batched.entries()) expectClose(outputs, direct[index]);
  const { check = "passed", isRebatched = false, largestBatch = COUNT.wasm, runsOn = "webgpu" } = asked;
  expect(stats).toMatchObject({ batchCheck: { outcome: check }, isRebatched });
  expect(said).toEqual(check === "failed" ? ["BATCH_UNSAFE"] : []);
  expect(stats.executionProvider).toBe(provider === "wasm" ? "wasm" : runsOn);
  if (provider === "wasm") expect(stats.batchSize.max).toBe(largestBatch);
}

/** Compares with the direct answer, in which copies of the row may follow the first row. */
function expectClose(outputs: PlainOutputs, direct: PlainOutputs | undefined): void {
  expect(Object.keys(outputs).toSorted()).toEqual(Object.keys(direct ?? {}).toSorted());
  for (const [name, { type, values }] of Object.entries(outputs)) {
    const expected = direct?.[name];
    expect(type).toBe(expected?.type);
    const scale = Math.max(1, ...values.map((value) => (typeof value === "number" ? Math.abs(value) : 0)));
    for (const [index, value] of values.entries()) {
      const right = expected?.values[index];
      if (typeof value === "string") expect(value).toBe(right);
      else expect(Math.abs(value - Number(right)), name).toBeLessThanOrEqual(TOLERANCE * scale);
    }
  }
}
