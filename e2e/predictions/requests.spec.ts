import { MODEL_PATHS } from "../support/sites/site.js";
import { expect, test } from "../support/test.js";

// The other tests of requests are in e2e/engines/requests.ts, which runs in all engines.

test("an aborted request counts as aborted, and dispose ends the worker", async ({ harness }) => {
  const { stats, announced } = await harness.evaluate(async (url) => {
    const { createBatchedModel, itemsFor } = window.harness;
    const model = await createBatchedModel(url, { executionProviders: ["wasm"] });
    let rows = 0;
    model.addEventListener("batch", ({ detail }) => {
      rows += detail.size;
    });
    const controller = new AbortController();
    const [first, ...rest] = itemsFor("mlp-tiny", 50);
    const aborted = model.predict(first ?? [], { signal: controller.signal }).catch(() => null);
    controller.abort();
    await Promise.all([aborted, ...rest.map((item) => model.predict(item))]);
    const counted = model.stats();
    await model.dispose();
    return { stats: counted, announced: rows };
  }, MODEL_PATHS["mlp-tiny"]);
  expect(stats.requests).toMatchObject({ accepted: 50, completed: 49, aborted: 1, queued: 0, inFlight: 0 });
  expect(announced).toBe(49);
  expect(stats.batchSize.count).toBe(stats.batches.count);
  await expect.poll(() => harness.workers().length).toBe(0);
});
