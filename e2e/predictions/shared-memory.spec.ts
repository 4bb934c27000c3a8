import type { Page } from "@playwright/test";
import { expectUnharmed, Ordeal } from "../support/ordeal.js";
import { MODEL_PATHS } from "../support/sites/site.js";
import { expect, LONG, test } from "../support/test.js";

/** Longer than any test, so that the SDK must detect the end of a worker without the timeout. */
const NEVER_HUNG_MS = 1_000_000;

test.beforeEach(async ({ page, isolated }) => {
  // Records whether a run was sent as a message.
  await page.addInitScript(() => {
    Object.assign(window, {
      sentRuns: false,
      Worker: class extends Worker {
        override postMessage(message: unknown, options?: StructuredSerializeOptions | Transferable[]) {
          if ("run" in Object(message)) Reflect.set(window, "sentRuns", true);
          if (Array.isArray(options)) super.postMessage(message, options);
          else super.postMessage(message, options);
        }
      },
    });
  });
  await page.goto(`${isolated.url}/harness.html`);
  await page.waitForFunction(() => "harness" in window && crossOriginIsolated);
});

const hasSentRuns = (page: Page) => page.evaluate(() => Boolean(Reflect.get(window, "sentRuns")));

test("on an isolated page, batches use shared memory, and answers equal those of ONNX Runtime", async ({ page }) => {
  const same = await page.evaluate(async (url) => {
    const { createBatchedModel, createReference, itemsFor } = window.harness;
    const model = await createBatchedModel(url, { executionProviders: ["wasm"], verify: false });
    const items = itemsFor("mlp-tiny", 200);
    const right = await (await createReference(url, "wasm")).runAll(items);
    const lone = [];
    for (const item of items.slice(0, 40)) lone.push(await model.predict(item));
    const together = await Promise.all(items.map((item) => model.predict(item)));
    const elements = (outputs: (typeof together)[number]) => Array.from<unknown>(outputs["y"]?.data ?? []).map(Number);
    const differs = (outputs: (typeof together)[number], index: number) =>
      elements(outputs).some((value, at) => Math.abs(value - Number(right[index]?.["y"]?.data[at])) > 1e-4);
    return { lone: lone.filter(differs).length, together: together.filter(differs).length, asked: together.length };
  }, MODEL_PATHS["mlp-tiny"]);
  expect(same).toEqual({ lone: 0, together: 0, asked: 200 });
  expect(await hasSentRuns(page)).toBe(false);
});

test("on an isolated page, each output has its own elements, whatever its name", { tag: LONG }, async ({ page }) => {
  const answer = await page.evaluate(async (url) => {
    const model = await window.harness.createBatchedModel(url, { executionProviders: ["wasm"] });
    const outputs = await model.predict({ x: [1, 2, 3, 4] });
    return Object.fromEntries(Object.entries(outputs).map(([name, { data }]) => [name, Array.from<unknown>(data)]));
  }, MODEL_PATHS["numbered-outputs"]);
  expect(answer).toEqual({ "495": [2, 4, 6, 8], "12": [2, 3, 4, 5] });
  expect(await hasSentRuns(page)).toBe(false);
});

test("on an isolated page, only the item that makes its batch fail is rejected", { tag: LONG }, async ({ page }) => {
  const outcomes = await page.evaluate(async (url) => {
    const { createBatchedModel, failureOf } = window.harness;
    const model = await createBatchedModel(url, { executionProviders: ["wasm"], verify: { budgetMs: 600_000 } });
    const ids = [1n, 2n, 99n, 3n];
    const ends = await Promise.all(ids.map((id) => failureOf(model.predict({ id: BigInt64Array.of(id) }))));
    return ends.map((failure) => failure?.code ?? "answered");
  }, MODEL_PATHS["fails-on-marked-row"]);
  expect(outcomes).toEqual(["answered", "answered", "INFERENCE_FAILED", "answered"]);
});

test(
  "on an isolated page, a worker that ends is replaced, and open requests are answered",
  { tag: LONG },
  async ({ page }) => {
    const ordeal = await Ordeal.begin(page, { executionProviders: ["wasm"], runTimeoutMs: NEVER_HUNG_MS });
    await page
      .workers()
      .at(-1)
      ?.evaluate(() => void setTimeout(() => self.close()));
    await ordeal.untilState(2);
    expectUnharmed(await ordeal.end());
  },
);
