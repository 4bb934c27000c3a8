import type { Page } from "@playwright/test";
import { expectUnharmed, Ordeal } from "./support/ordeal.js";
import { MODEL_PATHS } from "./support/site.js";
import { expect, test } from "./support/test.js";
import { harmedByPoison, POISON, runFirstInWorkers, type Harm } from "./support/worker-hook.js";

/** Ways in which a worker can end, done to it from inside. */
const ENDS: Readonly<Record<string, () => void>> = {
  "closes itself without a word": () => void setTimeout(() => self.close()),
  "throws something that nobody catches": () =>
    void setTimeout(() => {
      throw new Error("broken on purpose");
    }),
  "leaves a rejection unhandled": () =>
    void setTimeout(() => {
      void Promise.reject(new Error("broken on purpose"));
    }),
  "is caught in a loop": () =>
    void setTimeout(() => {
      for (;;);
    }),
};

/** Longer than any test: an end that is not noticed, but waited for, is one that never comes. */
const NEVER_HUNG_MS = 1_000_000;

for (const [end, inWorker] of Object.entries(ENDS)) {
  test(`when the worker ${end}, a new one answers what was open`, async ({ harness }) => {
    const isLoop = end.endsWith("loop");
    const runTimeoutMs = isLoop ? 1000 : NEVER_HUNG_MS;
    const ordeal = await Ordeal.begin(harness, { executionProviders: ["wasm"], runTimeoutMs });
    await harness.workers()[0]?.evaluate(inWorker);
    await ordeal.untilState(2);
    const tally = await ordeal.end();
    expectUnharmed(tally);
    expect(tally.states).toEqual(["recovering", "ready", "disposed"]);
  });
}

test("a worker that closes itself while nothing is asked of it is replaced", async ({ harness }) => {
  const idle = await harness.evaluateHandle(async (url) => {
    const model = await window.harness.createBatchedModel(url, { executionProviders: ["wasm"] });
    const states: string[] = [];
    model.addEventListener("statechange", ({ detail }) => states.push(detail.state));
    return { states };
  }, MODEL_PATHS["mlp-tiny"]);
  await harness.workers()[0]?.evaluate(() => void setTimeout(() => self.close()));
  await expect.poll(() => idle.evaluate(({ states }) => states)).toEqual(["recovering", "ready"]);
});

const POISONS: readonly (readonly [harm: Harm, code: string])[] = [
  ["close", "WORKER_CRASHED"],
  ["throw", "WORKER_CRASHED"],
  ["hang", "WORKER_HUNG"],
];

for (const [harm, code] of POISONS) {
  test(`of a batch with an item that makes the worker ${harm}, that item alone fails`, async ({ harness }) => {
    await runFirstInWorkers(harness, harmedByPoison(harm));
    const result = await predictWithPoison(harness, [5], harm === "hang" ? 500 : NEVER_HUNG_MS);
    expect(result).toMatchObject({ wrong: 0, failures: { 5: code }, state: "ready" });
    // The batch twice, its halves down to the culprit, and that twice.
    expect(result.deaths).toBeLessThanOrEqual(2 + Math.log2(result.size) + 1);
    expect(result.laterWrong).toBe(0);
  });
}

test("two items of a batch that end the worker fail, and no other", async ({ harness }) => {
  await runFirstInWorkers(harness, harmedByPoison("close"));
  const { wrong, failures, state } = await predictWithPoison(harness, [0, 6], NEVER_HUNG_MS);
  expect({ wrong, failures, state }).toEqual({
    wrong: 0,
    failures: { 0: "WORKER_CRASHED", 6: "WORKER_CRASHED" },
    state: "ready",
  });
});

/** Predicts a batch, some items of which are poisoned, and then the others once more. */
function predictWithPoison(page: Page, poisoned: readonly number[], limitMs: number) {
  return page.evaluate(
    async ({ url, poison, marked, runTimeoutMs }) => {
      const { createBatchedModel, createReference, distance, failureOf, itemsFor } = window.harness;
      const items = itemsFor("mlp-tiny", 16);
      const expected = await (await createReference(url, "wasm")).runAll(items);
      const model = await createBatchedModel(url, { executionProviders: ["wasm"], runTimeoutMs });
      let deaths = 0;
      model.addEventListener("error", () => (deaths += 1));
      const sent = items.map((item, index) =>
        marked.includes(index) ? { x: { ...item.x!, data: new Float32Array(64).fill(poison) } } : item,
      );
      const failures: Record<number, string | null> = {};
      let wrong = 0;
      const ask = async (item: (typeof items)[number], index: number) => {
        const prediction = model.predict(item);
        const failure = await failureOf(prediction);
        if (failure !== null) failures[index] = failure.code;
        else if (distance(await prediction, expected[index]) !== 0) wrong += 1;
      };
      await Promise.all(sent.map(ask));
      const before = wrong;
      await Promise.all(items.map(ask));
      const { state } = model;
      await model.dispose();
      return { wrong: before, laterWrong: wrong - before, failures, deaths, state, size: items.length };
    },
    { url: MODEL_PATHS["mlp-tiny"], poison: POISON, marked: poisoned, runTimeoutMs: limitMs },
  );
}

test("a model whose every run ends the worker fails with the cause, and can be started again", async ({ harness }) => {
  await runFirstInWorkers(harness, harmedByPoison("close"));
  const result = await harness.evaluate(
    async ({ url, poison }) => {
      const { createBatchedModel, failureOf } = window.harness;
      const model = await createBatchedModel(url, { executionProviders: ["wasm"] });
      const states: string[] = [];
      model.addEventListener("statechange", ({ detail }) => states.push(`${detail.state} ${detail.error?.code ?? ""}`));
      const poisoned = () => failureOf(model.predict(new Float32Array(64).fill(poison)));
      const failures = [await poisoned(), await poisoned(), await poisoned(), await poisoned()];
      const state = model.state;
      await model.restart();
      const afterwards = await failureOf(model.predict(new Float32Array(64)));
      await model.dispose();
      const restarted = await failureOf(model.restart());
      return { codes: failures.map((failure) => failure?.code), state, states, afterwards, restarted };
    },
    { url: MODEL_PATHS["mlp-tiny"], poison: POISON },
  );
  expect(result.codes).toEqual(Array(4).fill("WORKER_CRASHED"));
  expect(result.state).toBe("failed");
  expect(result.states).toEqual([
    ...Array.from({ length: 4 }, () => ["recovering WORKER_CRASHED", "ready "]).flat(),
    "failed WORKER_CRASHED",
    "recovering ",
    "ready ",
    "disposed ",
  ]);
  expect(result).toMatchObject({ afterwards: null, restarted: { code: "DISPOSED" } });
});

test("restart runs what is open in a new worker", async ({ harness }) => {
  const ordeal = await Ordeal.begin(harness, { executionProviders: ["wasm"] });
  const first = harness.workers()[0];
  await harness.evaluate(() => undefined);
  await ordeal.restart();
  const tally = await ordeal.end();
  expectUnharmed(tally);
  expect(tally.states).toEqual(["recovering", "ready", "disposed"]);
  await expect.poll(() => harness.workers()).not.toContain(first);
});

test("with two instances, the death of one is hardly noticed", async ({ harness }) => {
  const ordeal = await Ordeal.begin(harness, { executionProviders: ["wasm"], instances: 2 });
  const [first, second] = harness.workers();
  await first?.evaluate(() => void setTimeout(() => self.close()));
  await expect.poll(() => harness.workers()).toEqual([second, expect.anything()]);
  await ordeal.untilAnswered();
  const tally = await ordeal.end();
  expectUnharmed(tally);
  expect(tally.states).toEqual(["disposed"]);
});

test("a model that is disposed of while it recovers leaves nothing behind", async ({ harness }) => {
  const ordeal = await Ordeal.begin(harness, { executionProviders: ["wasm"] });
  await harness.workers()[0]?.evaluate(() => void setTimeout(() => self.close()));
  await expect.poll(async () => (await ordeal.tally()).states).toContain("recovering");
  const { asked, answered, failures } = await ordeal.end({ disposeFirst: true });
  expect(answered + failures.length).toBe(asked);
  expect(new Set(failures)).toEqual(new Set(["DISPOSED"]));
  await expect.poll(() => harness.workers().length).toBe(0);
});

test("a model whose loading is aborted at any moment leaves nothing behind", async ({ harness }) => {
  const reasons = await harness.evaluate(async (url) => {
    const { createBatchedModel, failureOf } = window.harness;
    const heard: (string | undefined)[] = [];
    for (let delayMs = 0; delayMs < 400; delayMs += 40) {
      const abort = new AbortController();
      setTimeout(() => abort.abort(new Error("changed my mind")), delayMs);
      const loading = createBatchedModel(url, { executionProviders: ["wasm"], signal: abort.signal });
      const failure = await failureOf(loading);
      heard.push(failure?.message);
      if (failure === null) await (await loading).dispose();
    }
    return heard;
  }, MODEL_PATHS["mlp-tiny"]);
  expect(reasons[0]).toBe("changed my mind");
  for (const reason of reasons) expect(["changed my mind", undefined]).toContain(reason);
  await expect.poll(() => harness.workers().length).toBe(0);
});
