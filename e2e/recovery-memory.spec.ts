import type { Page } from "@playwright/test";
import { MODEL_PATHS } from "./support/site.js";
import { expect, test as base } from "./support/test.js";

/** WebAssembly pages of 64 KiB that ONNX Runtime may have: enough for it and for a few large items, and not for many. */
const MOST_PAGES = 640;

/** Numbers in an item: 1 MB. */
const LENGTH = 2 ** 18;
const COUNT = 32;

/** A page where WebAssembly has little memory. */
const test = base.extend<{ tightPage: Page }>({
  tightPage: async ({ playwright, launchOptions, home }, use) => {
    const args = [...(launchOptions.args ?? []), `--js-flags=--wasm-max-mem-pages=${MOST_PAGES}`];
    const browser = await playwright.chromium.launch({ ...launchOptions, args });
    const page = await browser.newPage();
    await page.goto(`${home.url}/harness.html`);
    await page.waitForFunction(() => "harness" in window);
    await use(page);
    await browser.close();
  },
});

test("where WebAssembly has little memory, a batch that is too large is run in parts, each item is answered, and no batch is as large again", async ({
  tightPage,
}) => {
  const result = await tightPage.evaluate(
    async ({ url, length, count }) => {
      const { createBatchedModel, failureOf } = window.harness;
      // With a window, the size of a batch does not depend on what runs are measured to take.
      const batching = { release: "window" } as const;
      const options = { executionProviders: ["wasm"], batching, maxBatchSize: count, verify: false } as const;
      const model = await createBatchedModel(url, options);
      const states: string[] = [];
      model.addEventListener("statechange", ({ detail }) => states.push(detail.state));
      const round = async () => {
        const sizes: number[] = [];
        const hear = ({ detail }: { detail: { size: number } }) => void sizes.push(detail.size);
        model.addEventListener("batch", hear);
        const items = Array.from({ length: count }, (_, index) => new Float32Array(length).fill(index));
        const outputs = await Promise.all(items.map((seq) => model.predict({ seq })));
        model.removeEventListener("batch", hear);
        const wrong = outputs.filter((output, index) => {
          const data = new Float32Array(length).fill(2 * index + 1);
          return window.harness.distance(output, { y: { dims: [1, length], data } }) !== 0;
        });
        return { wrong: wrong.length, largest: Math.max(...sizes) };
      };
      const rounds = [await round(), await round()];
      const tooLarge = await failureOf(model.predict({ seq: new Float32Array(64 * length) }));
      const last = await round();
      await model.dispose();
      return { rounds, tooLarge, last, states };
    },
    { url: MODEL_PATHS["variable-length"], length: LENGTH, count: COUNT },
  );
  expect(result.rounds[0]?.wrong).toBe(0);
  expect(result.rounds[1]?.wrong).toBe(0);
  expect(result.rounds[0]?.largest).toBe(COUNT);
  expect(result.rounds[1]?.largest).toBeLessThan(COUNT);
  expect(result.tooLarge).toMatchObject({ code: "OUT_OF_MEMORY" });
  expect(result.last.wrong).toBe(0);
  expect(result.states).toEqual(["disposed"]);
});

test("where the warm-up finds no memory for a batch, the model is ready, and runs batches of half as many", async ({
  tightPage,
}) => {
  // On a busy machine the warm-up may have no time for a batch of eight.
  await expect(async () => {
    const result = await predictLargeRows(tightPage);
    expect(result).toMatchObject({ wrong: 0, trials: [["wasm", true]] });
    expect(result.check).not.toBe("failed");
    expect(result.largest).toBeLessThanOrEqual(4);
  }).toPass();
});

/** With rows of 2 MB: there is memory for some, and not for eight. */
function predictLargeRows(page: Page) {
  return page.evaluate(
    async ({ url, length, count }) => {
      const padding = { seq: { buckets: [2 * length] } };
      const model = await window.harness.createBatchedModel(url, { executionProviders: ["wasm"], padding });
      const sizes: number[] = [];
      model.addEventListener("batch", ({ detail }) => sizes.push(detail.size));
      const items = Array.from({ length: count }, (_, index) => new Float32Array(length).fill(index));
      const outputs = await Promise.all(items.map((seq) => model.predict({ seq })));
      const wrong = outputs.filter((output, index) => {
        const data = new Float32Array(length).fill(2 * index + 1);
        return window.harness.distance(output, { y: { dims: [1, length], data } }) !== 0;
      });
      const { batchCheck, providerTrials } = model.stats();
      await model.dispose();
      const trials = providerTrials.map(({ provider, chosen }) => [provider, chosen]);
      return { wrong: wrong.length, largest: Math.max(...sizes), check: batchCheck.outcome, trials };
    },
    { url: MODEL_PATHS["variable-length"], length: LENGTH, count: COUNT },
  );
}
