import { expect, LONG, SLOW_ON_GPU, test } from "../support/test.js";
import { MODEL_PATHS } from "../support/sites/site.js";

const NAMES = ["digits", "mlp-784", "mlp-tiny"] as const;
const MODELS = NAMES.map((name) => ({ name, url: MODEL_PATHS[name] }));

test(
  "three models in one worker answer as alone, and come back together",
  { tag: SLOW_ON_GPU },
  async ({ page, harness, provider }) => {
    const alone = await harness.evaluate(
      async ({ models, providers }) => {
        const { createBatchedModel, itemsFor } = window.harness;
        const answers: string[] = [];
        for (const { name, url } of models) {
          const model = await createBatchedModel(url, { executionProviders: providers, batching: false });
          const outputs = await model.predictMany(itemsFor(name, 4));
          answers.push(
            JSON.stringify(outputs.map((each) => Object.values(each).map(({ data }) => Array.from(data, String)))),
          );
          await model.dispose();
        }
        return answers;
      },
      { models: MODELS, providers: [provider] },
    );
    await expect.poll(() => page.workers().length).toBe(0);
    const opened = await harness.evaluate(
      async ({ models, providers }) => {
        const { createBatchedModel, createModelGroup, itemsFor } = window.harness;
        const { started, stop } = window.harness.watchWorkers();
        const group = createModelGroup({ executionProviders: providers });
        const open = ({ url }: { url: string }) => createBatchedModel(url, { group, batching: false });
        const grouped = await Promise.all(models.map(open));
        const ask = async () => {
          const all = await Promise.all(
            grouped.map((model, index) => model.predictMany(itemsFor(models[index]!.name, 4))),
          );
          return all.map((outputs) =>
            JSON.stringify(outputs.map((each) => Object.values(each).map(({ data }) => Array.from(data, String)))),
          );
        };
        const first = await ask();
        const stats = group.stats();
        const own = grouped.map((model) => model.stats());
        const workers = started.length;
        started[0]!.dispatchEvent(new ErrorEvent("error", { message: "broken on purpose" }));
        const second = await ask();
        const afterDeath = started.length;
        await grouped[0]!.dispose();
        const third = await grouped[1]!.predict(itemsFor(models[1]!.name, 1)[0]!);
        grouped[0] = await open(models[0]!);
        const fourth = await ask();
        const inAll = started.length;
        await group.dispose();
        const refused = await grouped[1]!.predict(itemsFor(models[1]!.name, 1)[0]!).catch((error) => error.code);
        const late = await open(models[0]!).catch((error) => error.code);
        // The worker ends when its models have finished their work on the cache.
        while (group.stats().memoryBytes > 0) await new Promise((resolve) => setTimeout(resolve, 10));
        stop();
        const restarts = { workers, afterDeath, inAll };
        return {
          first,
          second,
          fourth,
          third: Object.keys(third).length,
          stats,
          restarts,
          sizes: own.map(({ memoryBytes, modelBytes }) => ({ memoryBytes, modelBytes })),
          refused,
          late,
          left: group.stats(),
        };
      },
      { models: MODELS, providers: [provider] },
    );
    expect(opened.first).toEqual(alone);
    expect(opened.second).toEqual(alone);
    expect(opened.fourth).toEqual(alone);
    expect(opened.third).toBe(1);
    expect(opened.restarts).toEqual({ workers: 1, afterDeath: 2, inAll: 2 });
    expect(opened.stats.models).toBe(3);
    for (const { memoryBytes, modelBytes } of opened.sizes) expect(memoryBytes).toBeGreaterThanOrEqual(modelBytes);
    const ofModels = opened.sizes.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0);
    // ONNX Runtime has the rest.
    expect(ofModels).toBeLessThan(opened.stats.memoryBytes);
    expect([opened.refused, opened.late]).toEqual(["DISPOSED", "DISPOSED"]);
    expect(opened.left).toEqual({ models: 0, memoryBytes: 0, keptBytes: 0 });
    await expect.poll(() => page.workers().length).toBe(0);
  },
);

test("a model of a group leaves to its group what is the group's", { tag: SLOW_ON_GPU }, async ({ harness }) => {
  const failures = await harness.evaluate(async (url) => {
    const { createBatchedModel, createModelGroup, failureOf } = window.harness;
    const group = createModelGroup();
    const all = [];
    for (const option of [
      { instances: 2 },
      { shared: true },
      { numThreads: 2 },
      { executionProviders: ["wasm"] as const },
    ])
      all.push(await failureOf(createBatchedModel(url, { group, ...option })));
    return all;
  }, MODEL_PATHS["mlp-tiny"]);
  for (const failure of failures) {
    expect(failure).toMatchObject({
      code: "INVALID_OPTION",
      message: expect.stringContaining("expected no value, because group is set"),
    });
  }
});

test(
  "sequences of a model in a group give what they give alone, also after its worker is lost",
  { tag: LONG },
  async ({ harness }) => {
    const [alone, grouped] = await harness.evaluate(async (url) => {
      const { createBatchedModel, createModelGroup } = window.harness;
      const run = async (options: object, lose: () => void) => {
        const model = await createBatchedModel(url, {
          executionProviders: ["wasm"],
          ...options,
          recurrent: { state: "stateN" },
        });
        const sequences = [model.sequence(), model.sequence({ snapshotEvery: 2 })];
        const answers: string[] = [];
        for (let step = 0; step < 6; step++) {
          if (step === 3) lose();
          const asked = sequences.map((each, index) => each.predict({ x: [step, index, 2, 3] }));
          for (const { y } of await Promise.all(asked)) answers.push(Array.from(y?.data ?? [], String).join());
        }
        await model.dispose();
        return answers;
      };
      const expected = await run({}, () => undefined);
      const { started, stop } = window.harness.watchWorkers();
      const group = createModelGroup({ executionProviders: ["wasm"] });
      await createBatchedModel("/models/mlp-tiny.onnx", { group });
      const lose = () => started.at(-1)!.dispatchEvent(new ErrorEvent("error", { message: "broken on purpose" }));
      const got = await run({ group, executionProviders: undefined }, lose);
      stop();
      await group.dispose();
      return [expected, got];
    }, "/models/sequence-rows.onnx");
    expect(alone).toHaveLength(12);
    expect(grouped).toEqual(alone);
  },
);
