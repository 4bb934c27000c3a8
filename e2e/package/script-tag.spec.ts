import type { Page } from "@playwright/test";
import { MODEL_PATHS } from "../support/sites/site.js";
import { expect, LONG, test } from "../support/test.js";

/** The global variable that the script tag of a plain page sets. */
declare const framebatch: typeof import("framebatch");

const TAGS = [
  { kind: "classic", file: "framebatch.global.js" },
  { kind: "module", file: "framebatch.js" },
] as const;

for (const { kind, file } of TAGS) {
  // The tests in security.spec.ts also use script tags of the page's own origin.
  const own = `a ${kind} script tag from the page's own origin predicts`;
  test(own, { tag: LONG }, async ({ page, home, harness }) => {
    const tagged = await page.context().newPage();
    await tagged.goto(plainPageUrl(home.url, kind, `${home.url}/sdk/${file}`));
    expect(await predictWithTag(tagged)).toBeCloseTo(await predictWithHarness(harness), 4);
  });

  test(
    `a ${kind} script tag from another origin predicts`,
    { tag: kind === "module" ? LONG : [] },
    async ({ page, home, elsewhere, harness }) => {
      const tagged = await page.context().newPage();
      const before = elsewhere.answered.length;
      await tagged.goto(plainPageUrl(home.url, kind, `${elsewhere.url}/sdk/${file}`));
      expect(await predictWithTag(tagged)).toBeCloseTo(await predictWithHarness(harness), 4);
      expect(tagged.workers().map((worker) => new URL(worker.url()).protocol)).toEqual(["blob:"]);
      const wasm = elsewhere.answered.slice(before).filter(({ path }) => path.endsWith(".wasm"));
      expect(wasm.length).toBeGreaterThan(0);
    },
  );
}

test("a page without a bundler takes part in the choice of tokens", { tag: LONG }, async ({ page, home }) => {
  await page.goto(plainPageUrl(home.url, "classic", `${home.url}/sdk/framebatch.global.js`));
  await page.waitForFunction(() => "framebatch" in globalThis);
  const tokens = await page.evaluate(async (script) => {
    const code = `importScripts(${JSON.stringify(script)}); framebatch.serve({ choose: (_, { position }) => 7 + position });`;
    const address = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
    const worker = () => new Worker(address);
    const lm = await framebatch.createBatchedModel("/models/decoder-rotary.onnx", { generate: true, worker });
    return (await lm.generate([1, 2], { maxNewTokens: 4 }).result).tokens;
  }, `${home.url}/sdk/framebatch.worker.js`);
  expect(tokens).toEqual([7, 8, 9, 10]);
});

function plainPageUrl(origin: string, kind: string, script: string): string {
  return `${origin}/plain-page?kind=${kind}&script=${encodeURIComponent(script)}`;
}

/** Returns the sum of the squares of the outputs: one number that detects an error in any output. */
async function predictWithTag(page: Page): Promise<number> {
  await page.waitForFunction(() => "framebatch" in globalThis);
  return page.evaluate(async (url) => {
    const model = await framebatch.createBatchedModel(url);
    const { y } = await model.predict(Float32Array.from({ length: 64 }, (_, index) => index / 64));
    return Array.from(y?.data ?? [], Number).reduce((sum, element) => sum + element * element, 0);
  }, MODEL_PATHS["mlp-tiny"]);
}

function predictWithHarness(page: Page): Promise<number> {
  return page.evaluate(async (url) => {
    const reference = await window.harness.createReference(url, "wasm");
    const data = Float32Array.from({ length: 64 }, (_, index) => index / 64);
    const { y } = await reference.run({ x: { type: "float32", data, dims: [64] } });
    return Array.from(y?.data ?? [], Number).reduce((sum, element) => sum + element * element, 0);
  }, MODEL_PATHS["mlp-tiny"]);
}
