import type { Page } from "@playwright/test";
import { longestTasks } from "../../scripts/longest-tasks.mjs";
import { MODEL_PATHS } from "../support/sites/site.js";
import { expect, LONG, test } from "../support/test.js";

/** The number of elements of an image of 3 × 224 × 224: 600 kB. */
const LENGTH = 150_528;
const COUNT = 32;
const ROUNDS = 5;

/** The limit of the longest task, as a share of the time to stack and split a whole batch in one task. */
const LONGEST_TASK = 0.5;

for (const transfer of [false, true]) {
  test(
    `a batch of ${COUNT} items of 600 kB, ${transfer ? "transferred" : "copied"}, causes no long task in the page`,
    { tag: transfer ? [] : LONG },
    async ({ browser, harness }) => {
      const rounds: Round[] = [];
      const longest = await longestTasks(browser, harness, async () => {
        rounds.push(...(await predictRounds(harness, transfer)));
      });
      for (const round of rounds) {
        expect(round).toEqual({ wrong: 0, detached: transfer ? COUNT : 0, largestBatch: COUNT });
      }
      const whole = longest.shift() ?? 0;
      const [median] = longest.toSorted((a, b) => a - b).slice(ROUNDS >> 1);
      test.info().annotations.push({
        type: "longest task",
        description: `${longest.map((ms) => ms.toFixed(1)).join(", ")} of ${whole.toFixed(1)} ms`,
      });
      expect(longest).toHaveLength(ROUNDS);
      expect(median).toBeLessThan(LONGEST_TASK * whole);
    },
  );
}

interface Round {
  readonly wrong: number;
  /** Items whose arrays are detached. */
  readonly detached: number;
  readonly largestBatch: number;
}

/**
 * Stacks and splits a batch in one task, as the reference. Then sends one batch per round, each item in its own task,
 * as independent callers do.
 */
function predictRounds(harness: Page, transfer: boolean): Promise<Round[]> {
  return harness.evaluate(
    async ({ url, length, count, roundCount, isMoved }) => {
      const model = await window.harness.createBatchedModel(url, {
        executionProviders: ["wasm"],
        batching: { release: "window" },
        maxQueueDelayMs: 3_600_000,
        maxBatchSize: count,
        verify: { budgetMs: 600_000 },
      });
      const nextTask = () => new Promise((resolve) => setTimeout(resolve));
      const batch = Array.from({ length: count }, () => new Float32Array(length).fill(1));
      await nextTask();
      performance.mark("start");
      await nextTask();
      const stacked = new Float32Array(count * length);
      for (const [index, item] of batch.entries()) stacked.set(item, index * length);
      batch.map((_, index) => stacked.slice(index * length, (index + 1) * length));
      await nextTask();
      performance.mark("end");
      await nextTask();
      const rounds = [];
      for (let round = 0; round < roundCount; round++) {
        const items = Array.from({ length: count }, (_, index) => new Float32Array(length).fill(round + index));
        const predictions: ReturnType<typeof model.predict>[] = [];
        await nextTask();
        performance.mark("start");
        await nextTask();
        for (const seq of items) {
          predictions.push(model.predict({ seq }, { transfer: isMoved }));
          await nextTask();
        }
        const outputs = await Promise.all(predictions);
        await nextTask();
        performance.mark("end");
        await nextTask();
        const wrong = outputs.filter(({ y }, index) => {
          let right = 0;
          for (let at = 0; at < length; at++) if (y?.data[at] === 2 * (round + index) + 1) right += 1;
          return right < length || y?.data.length !== length;
        });
        const detached = items.filter((item) => item.length === 0).length;
        rounds.push({ wrong: wrong.length, detached, largestBatch: model.stats().batchSize.max });
      }
      await model.dispose();
      return rounds;
    },
    { url: MODEL_PATHS["variable-length"], length: LENGTH, count: COUNT, roundCount: ROUNDS, isMoved: transfer },
  );
}

for (const transfer of [false, true]) {
  test(
    `items in a worker that crashes are ${transfer ? "lost if they were transferred" : "answered by the next worker if they were copied"}`,
    { tag: LONG },
    ({ harness }) => crashTwice(harness, transfer),
  );
}

/** Asks in rounds while two workers crash. */
async function crashTwice(harness: Page, transfer: boolean): Promise<void> {
  const asking = harness.evaluateHandle(
    async ({ url, length, count, isMoved }) => {
      const model = await window.harness.createBatchedModel(url, { executionProviders: ["wasm"] });
      const seen = { ready: 0, answered: 0, wrong: 0, stop: false, failures: [] as (string | null)[] };
      model.addEventListener("statechange", ({ detail }) => void (seen.ready += detail.state === "ready" ? 1 : 0));
      const ask = async (index: number) => {
        const { y } = await model.predict(new Float32Array(length).fill(index), { transfer: isMoved });
        seen.answered += 1;
        if (y?.data[length - 1] !== 2 * index + 1) seen.wrong += 1;
      };
      const round = () => Promise.all(Array.from({ length: count }, (_, index) => ask(index)));
      const rounds = async () => {
        while (!seen.stop) {
          const failure = await window.harness.failureOf(round());
          if (failure !== null) seen.failures.push(failure.code);
        }
      };
      return { seen, done: rounds() };
    },
    { url: MODEL_PATHS["variable-length"], length: LENGTH, count: COUNT, isMoved: transfer },
  );
  const handle = await asking;
  for (let death = 1; death <= 2; death++) {
    const before = await handle.evaluate(({ seen }) => seen.answered);
    await expect.poll(() => handle.evaluate(({ seen }) => seen.answered)).toBeGreaterThan(before);
    await harness
      .workers()
      .at(-1)
      ?.evaluate(() => {
        setTimeout(() => {
          throw new Error("broken on purpose");
        });
      });
    await expect.poll(() => handle.evaluate(({ seen }) => seen.ready)).toBe(death);
  }
  const seen = await handle.evaluate(async (open) => {
    open.seen.stop = true;
    await open.done;
    return open.seen;
  });
  expect(seen.wrong).toBe(0);
  expect(seen.failures.filter((code) => !transfer || code !== "WORKER_CRASHED")).toEqual([]);
}

test("a rejected item keeps its arrays", { tag: LONG }, async ({ harness }) => {
  const result = await harness.evaluate(async (url) => {
    const model = await window.harness.createBatchedModel(url, { executionProviders: ["wasm"] });
    const seq = new Float32Array(4);
    const error = await window.harness.failureOf(model.predict({ seq: { data: seq, dims: [5] } }, { transfer: true }));
    await model.dispose();
    return { error, length: seq.length };
  }, MODEL_PATHS["variable-length"]);
  expect(result).toMatchObject({ error: { code: "INVALID_INPUT" }, length: 4 });
});
