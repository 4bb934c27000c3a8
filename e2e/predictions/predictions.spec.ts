import type { ModelOptions } from "framebatch";
import type { ModelName } from "../fixtures/items.js";
import { expectRightAnswers } from "../support/right-answers.js";
import { MODEL_PATHS } from "../support/sites/site.js";
import { expect, LONG, SLOW_ON_GPU, test } from "../support/test.js";

const CASES: readonly { what: string; model: ModelName; options?: ModelOptions }[] = [
  { what: "digits", model: "digits" },
  { what: "a tiny MLP", model: "mlp-tiny" },
  { what: "sequences of any length", model: "variable-length" },
  { what: "texts whose mask is filled", model: "text-encoder", options: { padding: { ids: { mask: "mask" } } } },
];

for (const { what, model, options } of CASES) {
  // The tests in models.spec.ts cover what is specific to the other models.
  const tag = model === "mlp-tiny" ? SLOW_ON_GPU : LONG;
  test(`${what}: answers equal those of ONNX Runtime called directly`, { tag }, async ({ harness, provider }) => {
    await expectRightAnswers(harness, provider, model, options);
  });
}

const BURST = "a burst of 64 requests with a window runs in batches of maxBatchSize";

test(BURST, { tag: SLOW_ON_GPU }, async ({ harness, provider }) => {
  const stats = await harness.evaluate(
    async ({ url, providers }) => {
      // The batch check must complete first: until then, requests run alone. A window ignores measured run times.
      const model = await window.harness.createBatchedModel(url, {
        executionProviders: providers,
        verify: { budgetMs: 600_000 },
        batching: { release: "window" },
        maxQueueDelayMs: 600_000,
        maxBatchSize: 16,
      });
      await Promise.all(window.harness.itemsFor("mlp-tiny", 64).map((item) => model.predict(item)));
      return model.stats();
    },
    { url: MODEL_PATHS["mlp-tiny"], providers: [provider] },
  );
  expect(stats.requests.completed).toBe(64);
  expect(stats.batches.count).toBe(4);
});
