import type { JSHandle, Page } from "@playwright/test";
import type { AttentionModel, AttentionRequest } from "../fixtures/attention.js";
import { expect, SLOW_ON_GPU, test } from "../support/test.js";

/** ONNX Runtime's kernel for it is wrong in every row from 32 tokens on, on the GPU in software of these tests. */
const WRONG = "/models/multi-head-attention.onnx";
const RIGHT = "/models/plain-attention.onnx";
const COUNTS = [8, 33];
/** Rounding. */
const CLOSE = 1e-5;

const OPENINGS: readonly (Omit<AttentionRequest, "url"> & { readonly title: string })[] = [
  { title: "a list of providers", opening: "alone", options: { cache: false } },
  { title: "handlers", opening: "with handlers", options: { cache: false } },
  { title: "a group", opening: "in a group", options: { cache: false } },
  { title: "a shared worker", opening: "shared", options: { cache: false } },
];

function open(harness: Page, request: AttentionRequest): Promise<JSHandle<AttentionModel>> {
  return harness.evaluateHandle((asked) => window.harness.openAttention(asked), request);
}

function outcomeOf(model: JSHandle<AttentionModel>): Promise<string> {
  return model.evaluate((opened) => opened.stats().providerCheck.outcome);
}

function said(model: JSHandle<AttentionModel>): Promise<readonly string[]> {
  return model.evaluate((opened) => opened.said.toSorted());
}

for (const { title, opening, options } of OPENINGS) {
  test(`a GPU whose answers are wrong is left with ${title}`, { tag: SLOW_ON_GPU }, async ({ harness }) => {
    const model = await open(harness, { url: WRONG, opening, options });
    expect(await model.evaluate((opened) => opened.stats().executionProvider)).toBe("webgpu");
    await model.evaluate((opened, counts) => opened.ask(counts), COUNTS);
    await expect.poll(() => said(model)).toEqual(["PROVIDER_WRONG", "wasm"]);
    expect(await model.evaluate((opened, counts) => opened.apart(counts), COUNTS)).toBeLessThan(CLOSE);
    expect(await model.evaluate((opened) => opened.stats())).toMatchObject({
      executionProvider: "wasm",
      providerCheck: { provider: "webgpu", outcome: "failed", reason: expect.stringContaining("[33, 16]") },
      requests: { failed: 0 },
    });
    await model.evaluate((opened) => opened.dispose());
  });

  test(`a GPU whose answers are right stays with ${title}`, { tag: SLOW_ON_GPU }, async ({ harness }) => {
    const model = await open(harness, { url: RIGHT, opening, options });
    await model.evaluate((opened, counts) => opened.ask(counts), COUNTS);
    await expect.poll(() => outcomeOf(model)).toBe("passed");
    expect(await model.evaluate((opened) => opened.stats().executionProvider)).toBe("webgpu");
    expect(await said(model)).toEqual([]);
    await model.evaluate((opened) => opened.dispose());
  });
}

test(
  "the next visit starts without a GPU whose answers were wrong, and compares one that was right no more",
  { tag: SLOW_ON_GPU },
  async ({ harness }) => {
    const visit = async (url: string) => {
      const model = await open(harness, { url, opening: "alone", options: {} });
      const stats = await model.evaluate((opened) => opened.stats());
      await model.evaluate((opened, counts) => opened.ask(counts), COUNTS);
      await expect.poll(() => outcomeOf(model)).not.toBe("inconclusive");
      await model.evaluate((opened) => opened.dispose());
      return stats;
    };
    expect(await visit(RIGHT)).toMatchObject({ providerCheck: { outcome: "inconclusive" } });
    expect(await visit(WRONG)).toMatchObject({ providerCheck: { outcome: "inconclusive" } });
    const size = (count: number) => [count, 16];
    expect(await visit(RIGHT)).toMatchObject({
      executionProvider: "webgpu",
      providerCheck: { outcome: "passed", fromCache: true, comparedSizes: COUNTS.map(size) },
    });
    expect(await visit(WRONG)).toMatchObject({
      executionProvider: "wasm",
      providerCheck: { provider: "webgpu", outcome: "failed", fromCache: true },
      providerTrials: [
        { provider: "webgpu", chosen: false },
        { provider: "wasm", chosen: true },
      ],
    });
  },
);

test("a wrong GPU that is the only provider stays, with an event", { tag: SLOW_ON_GPU }, async ({ harness }) => {
  const options = { cache: false, executionProviders: ["webgpu"] } as const;
  const model = await open(harness, { url: WRONG, opening: "alone", options });
  await model.evaluate((opened, counts) => opened.ask(counts), COUNTS);
  await expect.poll(() => said(model)).toEqual(["PROVIDER_WRONG"]);
  expect(await model.evaluate((opened) => opened.stats())).toMatchObject({
    executionProvider: "webgpu",
    providerCheck: { outcome: "failed" },
  });
  await model.evaluate((opened) => opened.dispose());
});

test(
  "texts leave a GPU whose kernel for their attention is wrong, and are those of WebAssembly from then on",
  { tag: SLOW_ON_GPU },
  async ({ harness }) => {
    const written = await harness.evaluate(async () => {
      const prompt = Array.from({ length: 40 }, (_, at) => (at * 11) % 61);
      const [told, texts]: [string[], (readonly number[])[]] = [[], []];
      for (const executionProviders of [["wasm"], ["webgpu", "wasm"]] as const) {
        const model = await window.harness.createBatchedModel("/models/decoder-gqa.onnx", {
          executionProviders,
          cache: false,
          generate: true,
        });
        model.addEventListener("error", ({ detail }) => told.push(detail.code));
        const write = async () =>
          texts.push((await model.generate({ input_ids: prompt }, { maxNewTokens: 12 }).result).tokens);
        // Another text for as long as the answers are not compared.
        do await write();
        while (model.stats().providerCheck.outcome === "inconclusive");
        await write();
        told.push(model.executionProvider);
        await model.dispose();
      }
      return { told, first: texts[0], last: texts.at(-1) };
    });
    expect(written.told).toEqual(["wasm", "PROVIDER_WRONG", "wasm"]);
    expect(written.last).toEqual(written.first);
  },
);
