import process from "node:process";
import type { Page } from "@playwright/test";
import { RendererMemory } from "../../apps/bench/runner/page/renderer-memory.js";
import type { Harness } from "../fixtures/harness.js";
import { ownHarness } from "../support/pages/own-harness.js";
import { expect, test as base } from "../support/test.js";

/** The largest part of memory that is something else by chance. */
const NOISE_BYTES = 15e6;

/** `ownPage`: a page with a process of its own. */
const test = base.extend<{ ownPage: Page }>({ ownPage: ownHarness() });

test.skip(process.platform !== "linux", "only Linux tells the memory of a process");

test("the memory of a page is that of its own process, also beside a larger one", async ({ ownPage }) => {
  const other = await ownPage.context().newPage();
  await other.goto("data:text/html,");
  const [own, larger] = [await RendererMemory.open(ownPage), await RendererMemory.open(other)];
  const before = [await own.bytes(), await larger.bytes()];
  await other.evaluate((bytes) => Reflect.set(window, "held", new Uint8Array(bytes).fill(1)), 200e6);
  const grown = [(await own.bytes()) - before[0]!, (await larger.bytes()) - before[1]!];
  expect(grown[0]).toBeLessThan(NOISE_BYTES);
  expect(grown[1]).toBeGreaterThan(200e6 - NOISE_BYTES);
});

// Chromium holds the memory of a worker for half a minute after its end if another worker starts at once.
test("a hub in a group returns the memory of the model that it unloads to the system @long", async ({ ownPage }) => {
  const memory = await RendererMemory.open(ownPage);
  const opened = await ownPage.evaluate(async (large) => {
    const { createModelGroup, createModelHub, itemsFor }: Harness = window.harness;
    const group = createModelGroup({ executionProviders: ["wasm"] });
    const hub = createModelHub({ group, memoryBudgetBytes: 120e6 });
    hub.register("large", large, { warmup: false, verify: false });
    hub.register("small", "/models/mlp-tiny.onnx");
    const [model, small] = await Promise.all([hub.get("large"), hub.get("small")]);
    await model.predict({ x: { data: new Float32Array(3 * 48 * 32), dims: [3, 48, 32] } });
    const ask = () => small.predictMany(itemsFor("mlp-tiny", 2));
    await ask();
    Reflect.set(window, "unloadLarge", async () => {
      await hub.unload("large");
      await ask();
      return group.stats().memoryBytes;
    });
    return { largeBytes: model.stats().memoryBytes, groupBytes: group.stats().memoryBytes };
  }, "/ocr-models/ch_PP-OCRv4_rec_infer.onnx");
  const before = await memory.bytes();
  const groupBytes: number = await ownPage.evaluate(() => Reflect.get(window, "unloadLarge")());
  expect(opened.groupBytes - groupBytes).toBeGreaterThanOrEqual(opened.largeBytes);
  const returned = async () => before - (await memory.bytes());
  await expect.poll(returned, { timeout: 120_000 }).toBeGreaterThan(opened.largeBytes - NOISE_BYTES);
  const figures = { ...opened, left: groupBytes, before, after: await memory.bytes() };
  test.info().annotations.push({ type: "memory", description: JSON.stringify(figures) });
});
