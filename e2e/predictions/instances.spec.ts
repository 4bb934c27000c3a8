import { MODEL_PATHS } from "../support/sites/site.js";
import { expect, test } from "../support/test.js";

/** Several batches, so that one always waits and the worker is busy however slow the page is. */
const CALLERS = 32;
const MAX_BATCH_SIZE = 8;
/** Answers after the second worker has joined: more than the trial of two workers and one needs. */
const MORE_ANSWERS = 2000;

test("instances auto lets a second worker join a busy model, and every answer is right", async ({ harness }) => {
  const result = await harness.evaluate(
    async ({ url, callers, maxBatchSize, moreAnswers }) => {
      const { createBatchedModel, createReference, distance, itemsFor } = window.harness;
      const items = itemsFor("text-encoder", callers);
      const expected = await (await createReference(url, "wasm")).runAll(items);
      const model = await createBatchedModel(url, {
        executionProviders: ["wasm"],
        instances: "auto",
        maxBatchSize,
      });
      const atFirst = model.stats().instances;
      let [answered, wrong, left] = [0, 0, Infinity];
      const caller = async (index: number): Promise<void> => {
        while (left > 0) {
          const outputs = await model.predict(items[index]!);
          answered += 1;
          left -= 1;
          if (!(distance(outputs, expected[index]) < 1e-4)) wrong += 1;
          if (left === Infinity && model.stats().instances === 2) left = moreAnswers;
        }
      };
      await Promise.all(items.map((_, index) => caller(index)));
      const { instances, requests } = model.stats();
      await model.dispose();
      return { atFirst, instances, answered, wrong, failed: requests.failed };
    },
    { url: MODEL_PATHS["text-encoder"], callers: CALLERS, maxBatchSize: MAX_BATCH_SIZE, moreAnswers: MORE_ANSWERS },
  );
  expect(result).toMatchObject({ atFirst: 1, wrong: 0, failed: 0 });
  expect(result.answered).toBeGreaterThan(MORE_ANSWERS);
  // Whether two pay depends on the machine.
  expect([1, 2]).toContain(result.instances);
  await expect.poll(() => harness.workers().length).toBe(0);
});
