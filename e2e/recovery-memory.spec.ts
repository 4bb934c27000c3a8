import { MODEL_PATHS } from "./support/site.js";
import { expect, test } from "./support/test.js";

/** WebAssembly pages of 64 KiB that ONNX Runtime may have: enough for it and for a few large items, and not for many. */
const MOST_PAGES = 640;

/** Numbers in an item: 1 MB. */
const LENGTH = 2 ** 18;
const COUNT = 32;

test("where WebAssembly has little memory, a batch that is too large is run in parts, each item is answered, and no batch is as large again", async ({
  playwright,
  launchOptions,
  home,
}) => {
  const args = [...(launchOptions.args ?? []), `--js-flags=--wasm-max-mem-pages=${MOST_PAGES}`];
  const browser = await playwright.chromium.launch({ ...launchOptions, args });
  const page = await browser.newPage();
  await page.goto(`${home.url}/harness.html`);
  await page.waitForFunction(() => "harness" in window);
  const result = await page.evaluate(
    async ({ url, length, count }) => {
      const { createBatchedModel, failureOf } = window.harness;
      const options = { executionProviders: ["wasm"], maxBatchSize: count, verify: false } as const;
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
  await browser.close();
  expect(result.rounds[0]?.wrong).toBe(0);
  expect(result.rounds[1]?.wrong).toBe(0);
  expect(result.rounds[0]?.largest).toBe(COUNT);
  expect(result.rounds[1]?.largest).toBeLessThan(COUNT);
  expect(result.tooLarge).toMatchObject({ code: "OUT_OF_MEMORY" });
  expect(result.last.wrong).toBe(0);
  expect(result.states).toEqual(["disposed"]);
});
