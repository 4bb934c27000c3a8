import process from "node:process";
import type { Page } from "@playwright/test";
import type { BatchedModel, Outputs } from "framebatch";
import { expect, LONG, test } from "../support/test.js";
import { MODEL_PATHS } from "../support/sites/site.js";
import type { ModelName } from "../fixtures/items.js";

/** The number of requests of the ordeal. */
const REQUESTS = Number(process.env["FRAMEBATCH_HUB_REQUESTS"] ?? 600);
const IN_FLIGHT = 200;
const DEATHS = Math.ceil(REQUESTS / 600);

const NAMES = ["digits", "mlp-784", "text-encoder"] as const satisfies readonly ModelName[];

// Tagged @long: the simulation of the whole system has hubs within a budget, and ends their workers.
for (const isGrouped of [false, true]) {
  const where = isGrouped ? " in one worker" : "";
  test(
    `three models${where} within the memory of two: every request is answered right, whatever dies`,
    { tag: LONG },
    async ({ harness }) => {
      const result = await ordeal(harness, isGrouped);
      test.info().annotations.push({ type: "hub", description: JSON.stringify(result) });
      expect(result).toMatchObject({ answered: REQUESTS, wrong: 0 });
      expect(result.killed).toBeGreaterThan(0);
      expect(result.unloads).toBeGreaterThan(1);
    },
  );
}

/** Asks three models in turn, of which a hub can hold two, while workers die. */
function ordeal(harness: Page, isGrouped: boolean) {
  const registered = NAMES.map((name) => ({ name, url: MODEL_PATHS[name] }));
  return harness.evaluate(
    async ({ models, requests, inFlight, deaths, grouped }) => {
      const { createBatchedModel, createModelGroup, createModelHub, distance, itemsFor } = window.harness;
      const expected = new Map<string, Outputs[]>();
      const providers = { executionProviders: ["wasm"] } as const;
      const group = grouped ? createModelGroup(providers) : null;
      const own = group === null ? providers : { group };
      const opened: BatchedModel[] = [];
      for (const { name, url } of models) {
        const model = await createBatchedModel(url, { ...own, batching: false });
        expected.set(name, await model.predictMany(itemsFor(name, 20)));
        opened.push(model);
      }
      const sizes = opened.map((model) => model.stats().memoryBytes);
      // What is left is ONNX Runtime's.
      const commonBytes = group === null ? 0 : group.stats().memoryBytes - sizes.reduce((sum, bytes) => sum + bytes, 0);
      for (const model of opened) await model.dispose();
      const { started, stop } = window.harness.watchWorkers();
      // Room for the two largest, and a little more; beside ONNX Runtime, for the largest and the smallest.
      const [largest = 0, second = 0, smallest = 0] = sizes.toSorted((a, b) => b - a);
      const memoryBudgetBytes = commonBytes + 1.05 * (largest + (grouped ? smallest : second));
      const hub = createModelHub(group === null ? { memoryBudgetBytes } : { group, memoryBudgetBytes });
      const others = group === null ? providers : {};
      for (const { name, url } of models) hub.register(name, url, { ...others, maxQueueSize: 1e6 });
      let [peakBytes, answered, wrong, killed] = [0, 0, 0, 0];
      const askOne = async (index: number, name: ModelName) => {
        const seed = index % 20;
        const model = await hub.get(name);
        const outputs = await model.predict(itemsFor(name, 1, seed + 1)[0]!);
        answered += 1;
        peakBytes = Math.max(peakBytes, hub.stats().memoryBytes);
        const right = expected.get(name)![seed]!;
        const withBatchAxis = Object.entries(right).map(([key, { dims, data }]) => [key, { dims: [1, ...dims], data }]);
        if (!(distance(outputs, Object.fromEntries(withBatchAxis)) < 1e-4)) wrong += 1;
      };
      let next = 0;
      // Each caller asks the models in turn. So some ask for the others after the last one has loaded, and whichever had
      // to make room loads again.
      const caller = async (_: unknown, first: number) => {
        for (let turn = first; next < requests; turn += 1) {
          const index = next++;
          // A worker that dies in the first load of its model is a failed load, which the callers hear of.
          const isFirstLoad = hub.stats().loads < models.length;
          if (killed < (deaths * index) / requests && !isFirstLoad) {
            started.at(-1)?.dispatchEvent(new ErrorEvent("error", { message: "broken on purpose" }));
            killed += 1;
          }
          await askOne(index, models[turn % models.length]!.name);
        }
      };
      await Promise.all(Array.from({ length: inFlight }, caller));
      // The last batch may have grown, and others then make room for its model, which may be larger than the budget alone. In
      // a group, they may leave a quarter behind.
      const limitBytes = (grouped ? 1.25 : 1) * memoryBudgetBytes;
      const isAlone = () => hub.models().filter(({ state }) => state !== "UNAVAILABLE").length === 1;
      while (hub.stats().memoryBytes > limitBytes && !isAlone()) await new Promise((resolve) => setTimeout(resolve));
      const { loads, unloads } = hub.stats();
      await hub.dispose();
      await group?.dispose();
      stop();
      return { answered, wrong, killed, loads, unloads, peakBytes, memoryBudgetBytes };
    },
    { models: registered, requests: REQUESTS, inFlight: IN_FLIGHT, deaths: DEATHS, grouped: isGrouped },
  );
}
