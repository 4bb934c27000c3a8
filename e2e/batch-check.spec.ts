import { expect, test } from "./support/test.js";

/** A budget that no check keeps to. */
const NO_TIME = { budgetMs: 0.001 };
/** A budget that every check keeps to, however busy the machine is. */
const ENOUGH_TIME = { budgetMs: 600_000 };

test("a check that there is no time for is made once the model is ready", async ({ harness }) => {
  const loaded = await harness.evaluateHandle(
    (verify) =>
      window.harness.createBatchedModel("/models/mlp-small.onnx", {
        executionProviders: ["wasm"],
        cache: false,
        verify,
      }),
    NO_TIME,
  );
  await expect.poll(() => loaded.evaluate((model) => model.stats().batchCheck.outcome)).toBe("passed");
});

test("a model that fails a later check runs item by item from then on, and says so once", async ({ harness }) => {
  const model = await harness.evaluateHandle(async (verify) => {
    const options = { executionProviders: ["wasm"], cache: false, verify } as const;
    const loaded = await window.harness.createBatchedModel("/models/mixes-rows.onnx", options);
    const said: string[] = [];
    loaded.addEventListener("error", ({ detail }) => said.push(detail.code));
    return { loaded, said };
  }, NO_TIME);
  await expect.poll(() => model.evaluate(({ loaded }) => loaded.stats().batchCheck.outcome)).toBe("failed");
  const largest = await model.evaluate(async ({ loaded }) => {
    loaded.resetStats();
    await loaded.predictMany(Array.from({ length: 8 }, (_, index) => [index, 0, 0, 0]));
    return loaded.stats().batchSize.max;
  });
  expect(largest).toBe(1);
  expect(await model.evaluate(({ said }) => said)).toEqual(["BATCH_UNSAFE"]);
});

for (const name of ["mlp-small", "fixed-1-attention"]) {
  test(`what was found out about ${name} is not found out twice`, async ({ harness }) => {
    const open = () =>
      harness.evaluateHandle(
        ([url, verify]) => window.harness.createBatchedModel(url, { executionProviders: ["wasm"], verify }),
        [`/models/${name}.onnx`, ENOUGH_TIME] as const,
      );
    // What it finds is written when nobody waits for it, so it stays open.
    const first = await open();
    expect(await first.evaluate((model) => model.stats().batchCheck)).toMatchObject({
      outcome: "passed",
      fromCache: false,
    });
    await expect
      .poll(async () => {
        const later = await open();
        const { batchCheck, isRebatched } = await later.evaluate((model) => model.stats());
        await later.evaluate((model) => model.dispose());
        return { outcome: batchCheck.outcome, fromCache: batchCheck.fromCache, isRebatched };
      })
      .toEqual({ outcome: "passed", fromCache: true, isRebatched: name.startsWith("fixed-1") });
  });
}

test("neither a check nor a rewriting is forced on anybody", async ({ harness }) => {
  const stats = await harness.evaluate(async () => {
    const { createBatchedModel } = window.harness;
    const options = { executionProviders: ["wasm"], cache: false } as const;
    const unchecked = await createBatchedModel("/models/mixes-rows.onnx", { ...options, verify: false });
    const left = await createBatchedModel("/models/mlp-fixed-1.onnx", { ...options, rebatch: "off" });
    return [unchecked.stats(), left.stats()];
  });
  expect(stats).toMatchObject([
    { batchCheck: { outcome: "skipped", reason: "not checked, as asked" } },
    { batchCheck: { outcome: "skipped" }, isRebatched: false },
  ]);
});

test("sizes that nobody has asked for are timed while nobody asks", async ({ harness }) => {
  const model = await harness.evaluateHandle(() =>
    window.harness.createBatchedModel("/models/mlp-tiny.onnx", { executionProviders: ["wasm"], cache: false }),
  );
  const measured = () =>
    model.evaluate((it) =>
      it
        .stats()
        .cost.curve.filter(({ weight }) => weight > 0)
        .map(({ size }) => size),
    );
  await expect.poll(measured).toEqual(expect.arrayContaining([1, 2, 4, 8, 16, 32]));
});
