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

test("the signal of a frame aborts a request and a load of the page around it", async ({ harness }) => {
  const reasons = await harness.evaluate(async (url) => {
    const { createBatchedModel, itemFor } = window.harness;
    const frame = document.body.appendChild(document.createElement("iframe"));
    const Controller: unknown = Reflect.get(frame.contentWindow ?? {}, "AbortController");
    if (typeof Controller !== "function") throw new Error("expected a frame with AbortController");
    const model = await createBatchedModel(url, { executionProviders: ["wasm"] });
    const [request, load]: AbortController[] = [Reflect.construct(Controller, []), Reflect.construct(Controller, [])];
    const ends = [
      model.predict(itemFor("mlp-tiny", 1), { signal: request!.signal }),
      createBatchedModel(url, { executionProviders: ["wasm"], signal: load!.signal }),
    ].map((end) => end.catch((reason: unknown) => reason));
    request!.abort("request");
    load!.abort("load");
    return Promise.all(ends);
  }, MODEL_PATHS["mlp-tiny"]);
  expect(reasons).toEqual(["request", "load"]);
});
