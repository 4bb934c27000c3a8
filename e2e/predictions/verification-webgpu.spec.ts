import { modelNames } from "@framebatch/models/generate";
import { openStreams } from "../support/pages/streams.js";
import { expect, SLOW_ON_GPU, test } from "../support/test.js";

/** Enough time for the batch check of every model. */
const VERIFY = { budgetMs: 600_000 };
/** The number of tests, each on its own page, so that several run in parallel. */
const PARTS = 4;
/**
 * ONNX Runtime runs float16 only on adapters that support it, and never runs layer normalization over the first axis,
 * batch normalization in training form, or operators of ai.onnx.ml on a GPU.
 */
const NOT_EVERYWHERE = /half|layer-norm|batch-norm-in-training|features-/;

for (let part = 0; part < PARTS; part++) {
  const title = `on a GPU, models that mix rows fail the batch check and all others pass, part ${part + 1} of ${PARTS}`;
  test(title, { tag: SLOW_ON_GPU }, async ({ harness }) => {
    for (const name of namesIn(part)) {
      const found = await harness.evaluate(
        async ({ url, verify }) => {
          const { createBatchedModel } = window.harness;
          const options = { executionProviders: ["webgpu"], cache: false, warmup: false, verify } as const;
          try {
            const model = await createBatchedModel(url, options);
            const { batchCheck } = model.stats();
            await model.dispose();
            return batchCheck;
          } catch (thrown) {
            return { outcome: "refused", reason: String(thrown) };
          }
        },
        { url: `/models/${name}.onnx`, verify: VERIFY },
      );
      if (found.outcome === "refused") expect.soft(name, found.reason).toMatch(NOT_EVERYWHERE);
      else
        expect.soft(found.outcome, `${name}: ${found.reason}`).toBe(name.startsWith("mixing-") ? "failed" : "passed");
    }
  });
}

test(
  "on a GPU, no caller of a model that mixes rows gets an answer that a batch changed, whatever the check's budget",
  { tag: SLOW_ON_GPU },
  async ({ harness }) => {
    for (const name of ["mel-spectrogram", "floor-of-clip", "length-of-range", "batch-size", "distance-of-pairs"]) {
      for (const budgetMs of [0, 250]) {
        const url = `/models/mixing-${name}.onnx`;
        const [load] = await openStreams(harness, { url, provider: "webgpu", loads: 1, verify: { budgetMs } });
        expect.soft(load?.largest, `${name} with ${budgetMs} ms`).toBeLessThan(1e-3);
        expect.soft(load, `${name} with ${budgetMs} ms`).toMatchObject({ outcome: "failed", isSingle: true });
      }
    }
  },
);

function namesIn(part: number): string[] {
  const names = modelNames.filter((name) => name.startsWith("mixing-") || name.startsWith("separate-"));
  return names.filter((_, index) => index % PARTS === part);
}
