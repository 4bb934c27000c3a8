import type { Page } from "@playwright/test";
import { holdTimers, letRunsTimeOut, WATCHED } from "../support/pages/held-timers.js";
import { expectUnharmed, Ordeal } from "../support/ordeal.js";
import { MODEL_PATHS } from "../support/sites/site.js";
import { expect, LONG, test } from "../support/test.js";
import { harmedByPoison, POISON, runFirstInWorkers, type Harm } from "../support/pages/worker-hook.js";

/** Ways in which a worker can end, as functions that run in the worker. */
const ENDS: Readonly<Record<string, () => void>> = {
  "closes itself without an event": () => void setTimeout(() => self.close()),
  "throws an uncaught error": () =>
    void setTimeout(() => {
      throw new Error("broken on purpose");
    }),
  "leaves a rejection unhandled": () =>
    void setTimeout(() => {
      void Promise.reject(new Error("broken on purpose"));
    }),
};

/** Longer than any test, so that the SDK must detect the end of a worker without the timeout. */
const NEVER_HUNG_MS = 1_000_000;

test("if the worker ends, a new worker answers the open requests", async ({ harness }) => {
  const ordeal = await Ordeal.begin(harness, { executionProviders: ["wasm"], runTimeoutMs: NEVER_HUNG_MS });
  const states: string[] = [];
  for (const [end, inWorker] of Object.entries(ENDS)) {
    await test.step(`it ${end}`, async () => {
      await harness.workers().at(-1)?.evaluate(inWorker);
      states.push("recovering", "ready");
      await ordeal.untilState(states.length);
      expect((await ordeal.tally()).states).toEqual(states);
    });
  }
  expectUnharmed(await ordeal.end());
});

test("if the worker hangs in an endless loop, a new worker answers the open requests", async ({ harness }) => {
  await harness.evaluate(holdTimers(WATCHED.tickMs));
  const ordeal = await Ordeal.begin(harness, { executionProviders: ["wasm"], runTimeoutMs: WATCHED.runTimeoutMs });
  await harness.workers()[0]?.evaluate(
    () =>
      void setTimeout(() => {
        for (;;);
      }),
  );
  while ((await ordeal.tally()).states.length === 0) await letRunsTimeOut(harness);
  await ordeal.untilState(2);
  const tally = await ordeal.end();
  expectUnharmed(tally);
  expect(tally.states).toEqual(["recovering", "ready", "disposed"]);
});

test("a worker that closes itself while the model is idle is replaced", { tag: LONG }, async ({ harness }) => {
  const idle = await harness.evaluateHandle(async (url) => {
    const model = await window.harness.createBatchedModel(url, { executionProviders: ["wasm"] });
    const states: string[] = [];
    model.addEventListener("statechange", ({ detail }) => states.push(detail.state));
    return { states };
  }, MODEL_PATHS["mlp-tiny"]);
  await harness.workers()[0]?.evaluate(() => void setTimeout(() => self.close()));
  await expect.poll(() => idle.evaluate(({ states }) => states)).toEqual(["recovering", "ready"]);
});

/** Ways in which an item can make the worker fail. The next test has two such items in one batch. */
const POISONS: readonly (readonly [harm: Harm, code: string])[] = [
  ["close", "WORKER_CRASHED"],
  ["throw", "WORKER_CRASHED"],
  ["hang", "WORKER_HUNG"],
];

for (const [harm, code] of POISONS) {
  const title = `in a batch with an item that makes the worker ${harm}, only that item fails`;
  test(title, { tag: LONG }, async ({ harness }) => {
    await runFirstInWorkers(harness, harmedByPoison(harm));
    const result = await predictWithPoison(harness, { count: 4, poisoned: [2] });
    expect(result).toMatchObject({ wrong: 0, failures: { 2: code }, state: "ready" });
    // The batch runs twice, then its halves down to the item that causes the failure, and that item twice.
    expect(result.deaths).toBeLessThanOrEqual(2 + Math.log2(result.size) + 1);
    expect(result.laterWrong).toBe(0);
  });
}

// Tagged @long: the simulation of the whole system does this with every fault.
test("if two items of a batch end the worker, only these two fail", { tag: LONG }, async ({ harness }) => {
  await runFirstInWorkers(harness, harmedByPoison("close"));
  const { wrong, failures, state } = await predictWithPoison(harness, { count: 16, poisoned: [0, 6] });
  expect({ wrong, failures, state }).toEqual({
    wrong: 0,
    failures: { 0: "WORKER_CRASHED", 6: "WORKER_CRASHED" },
    state: "ready",
  });
});

interface PoisonedBatch {
  readonly count: number;
  readonly poisoned: readonly number[];
}

/** The batch check must complete first: until then, requests run alone. */
const WHOLE = { runTimeoutMs: WATCHED.runTimeoutMs, verify: { budgetMs: 600_000 } };

/**
 * Predicts a batch with some poisoned items, and then all items without poison. Timers fire only after a worker has
 * reported that it hangs, so that only such a worker times out.
 */
async function predictWithPoison(page: Page, { count, poisoned }: PoisonedBatch) {
  await page.evaluate(holdTimers(WATCHED.tickMs));
  return page.evaluate(
    async ({ url, size, poison, marked, options }) => {
      const { createBatchedModel, createReference, distance, failureOf, itemsFor } = window.harness;
      const items = itemsFor("mlp-tiny", size);
      const expected = await (await createReference(url, "wasm")).runAll(items);
      const model = await createBatchedModel(url, { executionProviders: ["wasm"], ...options });
      const hanging = new BroadcastChannel("hanging");
      const comeDueUntil = async (isOver: () => boolean) => {
        while (!isOver()) {
          comeDue();
          await new Promise((resolve) => setTimeout(resolve));
        }
      };
      hanging.onmessage = () => {
        const before = deaths;
        return comeDueUntil(() => deaths > before);
      };
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
      hanging.close();
      return { wrong: before, laterWrong: wrong - before, failures, deaths, state, size };
    },
    { url: MODEL_PATHS["mlp-tiny"], size: count, poison: POISON, marked: poisoned, options: WHOLE },
  );
}

// Tagged @long: the simulation of the whole system does this with every fault.
test(
  "a model whose worker ends in every run fails with the cause, and can be restarted",
  { tag: LONG },
  async ({ harness }) => {
    await runFirstInWorkers(harness, harmedByPoison("close"));
    const result = await harness.evaluate(
      async ({ url, poison }) => {
        const { createBatchedModel, failureOf } = window.harness;
        const model = await createBatchedModel(url, { executionProviders: ["wasm"] });
        const states: string[] = [];
        model.addEventListener("statechange", ({ detail }) =>
          states.push(`${detail.state} ${detail.error?.code ?? ""}`),
        );
        const poisoned = () => failureOf(model.predict(new Float32Array(64).fill(poison)));
        const failures = [await poisoned(), await poisoned(), await poisoned(), await poisoned(), await poisoned()];
        const state = model.state;
        await model.restart();
        const afterwards = await failureOf(model.predict(new Float32Array(64)));
        await model.dispose();
        const restarted = await failureOf(model.restart());
        return { codes: failures.map((failure) => failure?.code), state, states, afterwards, restarted };
      },
      { url: MODEL_PATHS["mlp-tiny"], poison: POISON },
    );
    expect(result.codes).toEqual(Array(5).fill("WORKER_CRASHED"));
    expect(result.state).toBe("failed");
    expect(result.states).toEqual([
      ...Array.from({ length: 8 }, () => ["recovering WORKER_CRASHED", "ready "]).flat(),
      "failed WORKER_CRASHED",
      "recovering ",
      "ready ",
      "disposed ",
    ]);
    expect(result).toMatchObject({ afterwards: null, restarted: { code: "DISPOSED" } });
  },
);

test("restart runs the open requests in a new worker", { tag: LONG }, async ({ harness }) => {
  const ordeal = await Ordeal.begin(harness, { executionProviders: ["wasm"] });
  const first = harness.workers()[0];
  await harness.evaluate(() => undefined);
  await ordeal.restart();
  const tally = await ordeal.end();
  expectUnharmed(tally);
  expect(tally.states).toEqual(["recovering", "ready", "disposed"]);
  await expect.poll(() => harness.workers()).not.toContain(first);
});

// Tagged @long: the simulation of the whole system does this with every fault.
test("with two instances, the crash of one does not change the model's state", { tag: LONG }, async ({ harness }) => {
  const ordeal = await Ordeal.begin(harness, { executionProviders: ["wasm"], instances: 2 });
  const [first, second] = harness.workers();
  await first?.evaluate(() => void setTimeout(() => self.close()));
  await expect.poll(() => harness.workers()).toEqual([second, expect.anything()]);
  await ordeal.untilAnswered();
  const tally = await ordeal.end();
  expectUnharmed(tally);
  expect(tally.states).toEqual(["disposed"]);
});

// Tagged @long: the simulation of the whole system does this with every fault.
test(
  "a model that is disposed while it recovers rejects its requests and ends its workers",
  { tag: LONG },
  async ({ harness }) => {
    const ordeal = await Ordeal.begin(harness, { executionProviders: ["wasm"] });
    await harness.workers()[0]?.evaluate(() => void setTimeout(() => self.close()));
    await expect.poll(async () => (await ordeal.tally()).states).toContain("recovering");
    const { asked, answered, failures } = await ordeal.end({ disposeFirst: true });
    expect(answered + failures.length).toBe(asked);
    expect(new Set(failures)).toEqual(new Set(["DISPOSED"]));
    await expect.poll(() => harness.workers().length).toBe(0);
  },
);

test(
  "aborting a load in any phase rejects with the signal's reason and ends the worker",
  { tag: LONG },
  async ({ harness }) => {
    const reasons = await harness.evaluate(async (url) => {
      const { createBatchedModel, failureOf } = window.harness;
      const heard: (string | undefined)[] = [];
      for (const last of ["none", "download", "compile", "warmup"]) {
        const abort = new AbortController();
        const change = () => abort.abort(new Error(`changed my mind: ${last}`));
        const onProgress = ({ phase }: { phase: string }) => phase === last && change();
        const options = { executionProviders: ["wasm"], cache: false, signal: abort.signal, onProgress } as const;
        const loading = createBatchedModel(url, options);
        if (last === "none") change();
        heard.push((await failureOf(loading))?.message);
      }
      return heard;
    }, MODEL_PATHS["mlp-tiny"]);
    expect(reasons).toEqual(["none", "download", "compile", "warmup"].map((last) => `changed my mind: ${last}`));
    await expect.poll(() => harness.workers().length).toBe(0);
  },
);
