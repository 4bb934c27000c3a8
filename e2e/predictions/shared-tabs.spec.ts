import { expectUnharmed, Ordeal } from "../support/ordeal.js";
import { openTab, openTabs, SharedWorkers } from "../support/pages/shared-tabs.js";
import { MODEL_PATHS } from "../support/sites/site.js";
import { expect, LONG, test } from "../support/test.js";

const SHARED = { executionProviders: ["wasm"], shared: true } as const;

test("tabs share a session: a second tab fetches neither the model nor ONNX Runtime", async ({ context, home }) => {
  const [first, second] = [await openTab(context, home.url), await openTab(context, home.url)];
  const load = (shared: boolean) => ({ url: MODEL_PATHS.digits, shared });
  const create = async ({ url, shared }: ReturnType<typeof load>) => {
    const { createBatchedModel, itemFor } = window.harness;
    const model = await createBatchedModel(url, { executionProviders: ["wasm"], shared, cache: false });
    await model.predict(itemFor("digits", 1));
    return model.stats().shared;
  };
  const heavy = () => home.answered.filter(({ path }) => /\.onnx$|\.wasm$|\.ort\./.test(path)).length;
  await first.evaluate(create, load(true));
  const before = heavy();
  expect(await second.evaluate(create, load(true))).toEqual({ isShared: true, reason: null, tabs: 2 });
  expect(heavy()).toBe(before);
  expect(await second.evaluate(create, load(false))).toEqual({ isShared: false, reason: null, tabs: 1 });
  expect(heavy()).toBeGreaterThan(before);
});

test(
  "four tabs get right answers at once, and the last one ends the worker",
  { tag: LONG },
  async ({ browser, context, home }) => {
    const workers = new SharedWorkers(browser);
    const tabs = await openTabs(context, home.url, 4);
    const ordeals = await Promise.all(tabs.map((tab) => Ordeal.begin(tab, SHARED)));
    for (const ordeal of ordeals) await ordeal.untilTabs(4);
    await workers.untilCount(1);
    await Promise.all(ordeals.map((ordeal) => ordeal.untilAnswered()));
    for (const [index, ordeal] of ordeals.entries()) {
      await workers.untilCount(1);
      const tally = await ordeal.end();
      expectUnharmed(tally);
      expect(tally.states).toEqual(["disposed"]);
      await ordeals[index + 1]?.untilTabs(ordeals.length - index - 1);
    }
    await workers.untilCount(0);
  },
);

test(
  "another model, or other options, have a session of their own",
  { tag: LONG },
  async ({ browser, context, home }) => {
    const tabs = await openTabs(context, home.url, 2);
    const settings = [
      { url: MODEL_PATHS["mlp-tiny"], options: {} },
      { url: MODEL_PATHS["mlp-784"], options: {} },
      { url: MODEL_PATHS["mlp-tiny"], options: { sessionOptions: { graphOptimizationLevel: "basic" } } },
    ];
    for (const { url, options } of settings) {
      for (const [index, tab] of tabs.entries()) {
        const shared = await tab.evaluate(
          async ({ address, chosen }) => {
            const model = await window.harness.createBatchedModel(address, chosen);
            return model.stats().shared;
          },
          { address: url, chosen: { ...SHARED, ...options } },
        );
        expect(shared).toEqual({ isShared: true, reason: null, tabs: index + 1 });
      }
    }
    await new SharedWorkers(browser).untilCount(settings.length);
  },
);

test(
  "a model that cannot be shared has a worker of its own, and says why",
  { tag: LONG },
  async ({ harness, elsewhere, home }) => {
    const reasons = await harness.evaluate(
      async ({ url, foreign, chosen }) => {
        const { createBatchedModel, itemFor } = window.harness;
        const reasonOf = async (source: string | ArrayBuffer, options: object) => {
          const model = await createBatchedModel(source, { ...chosen, ...options });
          await model.predict(itemFor("mlp-tiny", 1));
          const { shared } = model.stats();
          await model.dispose();
          return `${shared.isShared} ${shared.reason}`;
        };
        const bytes = await (await fetch(url)).arrayBuffer();
        const reasonsFound = [
          await reasonOf(bytes, {}),
          await reasonOf(url, { workerUrl: `${foreign}/sdk/framebatch.worker.js` }),
        ];
        Reflect.deleteProperty(window, "SharedWorker");
        return [...reasonsFound, await reasonOf(url, {})];
      },
      { url: home.url + MODEL_PATHS["mlp-tiny"], foreign: elsewhere.url, chosen: SHARED },
    );
    expect(reasons).toEqual([
      "false a file of the model has no address that other tabs can load",
      "false the script of the worker is not of this origin",
      "false this browser has no shared workers",
    ]);
  },
);

test("large batches, which the worker stacks, go to the right tab", { tag: LONG }, async ({ context, home }) => {
  const tabs = await openTabs(context, home.url, 2);
  const wrong = await Promise.all(
    tabs.map((tab, index) =>
      tab.evaluate(
        async ({ url, offset, length, chosen }) => {
          const model = await window.harness.createBatchedModel(url, chosen);
          const values = Array.from({ length: 60 }, (_, step) => offset + step);
          const answers = await model.predictMany(values.map((value) => new Float32Array(length).fill(value)));
          const isWrong = ({ y }: (typeof answers)[number], step: number) =>
            y?.data.length !== length || ![0, length - 1].every((at) => y.data[at] === 2 * values[step]! + 1);
          return { wrong: answers.filter(isWrong).length, largestBatch: model.stats().batchSize.max };
        },
        {
          url: MODEL_PATHS["variable-length"],
          offset: 1000 * index,
          length: 150_528,
          chosen: { ...SHARED, maxBatchSize: 20, verify: false, batching: { release: "window" } } as const,
        },
      ),
    ),
  );
  expect(wrong).toEqual(tabs.map(() => ({ wrong: 0, largestBatch: 20 })));
});
