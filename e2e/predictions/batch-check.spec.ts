import { expect, LONG, test } from "../support/test.js";

/** A budget that is too small for every check. */
const NO_TIME = { budgetMs: 0.001 };
/** A budget that is large enough for every check, even on a busy machine. */
const ENOUGH_TIME = { budgetMs: 600_000 };

test("a batch check that exceeds its budget runs after the model is ready", { tag: LONG }, async ({ harness }) => {
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

// users.md, bug 1
test(
  "a batch check lets requests in between its runs, so that the first one is answered before it ends",
  { tag: LONG },
  async ({ harness }) => {
    // A page that gets no time for as long as the check takes cannot show it, so the next load tries again.
    await expect(async () => {
      const check = await harness.evaluate(async (verify) => {
        const options = { executionProviders: ["wasm"], cache: false, verify } as const;
        const model = await window.harness.createBatchedModel("/models/cnn-64.onnx", options);
        await model.predict(new Float32Array(3 * 64 * 64).fill(0.5));
        const { batchCheck } = model.stats();
        await model.dispose();
        return batchCheck;
      }, NO_TIME);
      expect(check.outcome).toBe("inconclusive");
      expect(check.reason).toContain("goes on while the model runs item by item");
    }).toPass();
  },
);

test(
  "a model that fails a later check then runs item by item, and fires one error event",
  { tag: LONG },
  async ({ harness }) => {
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
  },
);

for (const name of ["mlp-small", "fixed-1-attention"]) {
  test(`the batch check of ${name} is cached`, { tag: name === "mlp-small" ? [] : LONG }, async ({ harness }) => {
    const open = () =>
      harness.evaluateHandle(
        ([url, verify]) => window.harness.createBatchedModel(url, { executionProviders: ["wasm"], verify }),
        [`/models/${name}.onnx`, ENOUGH_TIME] as const,
      );
    // The first model stays open, because it writes its results to the cache in the background.
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

interface Compared {
  readonly maxBatchSize?: number;
  readonly samples?: number[][];
}

// defect E1
test(
  "a cached batch check is used only for the batch sizes and the samples that it compared",
  { tag: LONG },
  async ({ harness }) => {
    const open = (name: string, given: Compared) =>
      harness.evaluateHandle(
        ({ url, options }) => window.harness.createBatchedModel(url, { executionProviders: ["wasm"], ...options }),
        { url: `/models/${name}.onnx`, options: { ...given, verify: ENOUGH_TIME } },
      );
    const outcomeOf = async (name: string, given: Compared) => {
      const model = await open(name, given);
      const { outcome, fromCache } = await model.evaluate((it) => it.stats().batchCheck);
      await model.evaluate((it) => it.dispose());
      return { outcome, fromCache };
    };
    const few = { maxBatchSize: 2 };
    const samplesFrom = (least: number) => ({
      samples: [0, 1, 2, 3].map((more) => Array.from({ length: 8 }, (_, index) => least + more * index)),
    });
    for (const [name, shown, asked, outcome] of [
      ["mixing-marked-from-four-rows-on", few, {}, "failed"],
      ["separate-softmax", samplesFrom(1), samplesFrom(31), "passed"],
    ] as const satisfies readonly (readonly [string, Compared, Compared, string])[]) {
      // The first model stays open, because it writes its results to the cache in the background.
      await open(name, shown);
      await expect.poll(() => outcomeOf(name, shown), name).toEqual({ outcome: "passed", fromCache: true });
      expect(await outcomeOf(name, asked), name).toEqual({ outcome, fromCache: false });
    }
  },
);

test(
  "items of sizes that the model rejects run alone, and are checked, at their rounded sizes",
  { tag: LONG },
  async ({ harness }) => {
    const sounds = [300, 500, 801, 1100].map((length) =>
      Array.from({ length }, (_, index) => ((7 * index) % length) + 1),
    );
    const open = (given: { readonly isBatching: boolean; readonly budgetMs: number; readonly samples?: number[][] }) =>
      harness.evaluate(
        async ({ items, isBatching, budgetMs, samples }) => {
          const options = { executionProviders: ["wasm"], cache: false, verify: { budgetMs } } as const;
          const model = await window.harness.createBatchedModel("/models/windows-of-400.onnx", {
            ...options,
            padding: { audio: { multipleOf: 400, value: -1000 } },
            batching: isBatching && {},
            ...(samples && { samples }),
          });
          const loudest: number[] = [];
          for (const item of items) {
            const { loudest: windows } = await model.predict(item);
            loudest.push(Math.max(...Array.from(windows!.data, Number)));
          }
          const { outcome } = model.stats().batchCheck;
          await model.dispose();
          return { loudest, outcome };
        },
        { items: sounds, ...given },
      );
    const loudest = sounds.map((sound) => Math.max(...sound));
    expect(await open({ isBatching: false, ...NO_TIME }), "batching off").toEqual({ loudest, outcome: "skipped" });
    expect((await open({ isBatching: true, ...NO_TIME })).loudest, "check open").toEqual(loudest);
    const checked = await open({ isBatching: true, ...ENOUGH_TIME, samples: sounds });
    expect(checked, "samples").toEqual({ loudest, outcome: "passed" });
  },
);

test("the batch check and rebatching can be turned off", { tag: LONG }, async ({ harness }) => {
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

test("the run times of unused batch sizes are measured while the model is idle", { tag: LONG }, async ({ harness }) => {
  // The measurement has a budget of time, so on a busy machine a model may measure fewer sizes. The next one tries again.
  await expect(async () => {
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
    try {
      await expect.poll(measured, { timeout: 15_000 }).toEqual(expect.arrayContaining([1, 2, 4, 8, 16, 32]));
    } finally {
      await model.evaluate((it) => it.dispose());
    }
  }).toPass();
});
