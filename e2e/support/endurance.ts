import type { Page } from "@playwright/test";
import { MODEL_PATHS } from "./sites/site.js";
import { expect } from "./test.js";
import type { TestedProvider } from "./tested-provider.js";

declare global {
  interface Window {
    /** The results of the requests that `keepAsking` makes. */
    endurance: { readonly worst: Promise<number>; readonly states: readonly string[] };
  }
}

/**
 * Opens a model and calls it without pause, until it has recovered once from a fault that the test causes afterwards.
 */
export async function keepAsking(page: Page, provider: TestedProvider): Promise<void> {
  await page.evaluate(
    async ([url, executionProviders]) => {
      const { createBatchedModel, createReference, distance, itemsFor } = window.harness;
      const items = itemsFor("mlp-tiny", 16);
      const expected = await (await createReference(url, "wasm")).runAll(items);
      const model = await createBatchedModel(url, { executionProviders });
      const states: string[] = [];
      model.addEventListener("statechange", ({ detail }) => states.push(detail.state));
      const ask = async () => {
        const outputs = await Promise.all(items.map((item) => model.predict(item)));
        return Math.max(...outputs.map((output, index) => distance(output, expected[index])));
      };
      const askUntilBack = async () => {
        let worst = 0;
        while (states.length < 2) worst = Math.max(worst, await ask());
        return Math.max(worst, await ask());
      };
      window.endurance = { worst: askUntilBack(), states };
    },
    [MODEL_PATHS["mlp-tiny"], [provider]] as const,
  );
}

/** Expects that every answer was correct, before, during and after the recovery. */
export async function expectNothingLost(page: Page): Promise<void> {
  expect(await page.evaluate(() => window.endurance.worst)).toBeLessThanOrEqual(1e-4);
  expect(await page.evaluate(() => window.endurance.states)).toEqual(["recovering", "ready"]);
}
