import { modelNames } from "@framebatch/models/generate";
import { expect, SLOW_ON_GPU, test } from "./support/test.js";

/** Time for every model's check before it is ready. */
const VERIFY = { budgetMs: 600_000 };
/** Each on a page of its own, so that several run side by side. */
const PARTS = 4;
/** ONNX Runtime runs half precision only on adapters that have it, and no layer normalisation over the first axis. */
const NOT_EVERYWHERE = /half|layer-norm/;

for (let part = 0; part < PARTS; part++) {
  const title = `models that mix rows fail on a GPU and all others pass, part ${part + 1} of ${PARTS}`;
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

function namesIn(part: number): string[] {
  const names = modelNames.filter((name) => name.startsWith("mixing-") || name.startsWith("separate-"));
  return names.filter((_, index) => index % PARTS === part);
}
