import type { CDPSession, Page } from "@playwright/test";
import { modelIsReady, openPlayground } from "../support/pages/playground.js";
import { expect, LONG, test } from "../support/test.js";

const SWITCHES = 50;
/** The number of switches until everything that is loaded once exists, such as the code of the scenes. */
const WARM_UP = 12;
/** The max growth over the later switches, in bytes: less than one model or one wall per switch. */
const GROWTH_BYTES = 4e6;
const GROWTH_NODES = 500;

/** Returns the memory and DOM nodes of the page after garbage collection. */
async function held(session: CDPSession): Promise<{ bytes: number; nodes: number }> {
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  const { nodes } = await session.send("Memory.getDOMCounters");
  return { bytes: usedSize, nodes };
}

/** Performs one switch. Only every fourth one waits for the model, so others happen while a model loads. */
async function switchOver(page: Page, step: number, modelUrls: readonly string[]): Promise<void> {
  const actions = [
    () => page.getByTestId("scene-model").click(),
    () => useModel(page, modelUrls[step % modelUrls.length] ?? ""),
    () => page.getByTestId("batching-switch").click(),
    () => useModel(page, modelUrls[(step + 1) % modelUrls.length] ?? ""),
    () => page.getByTestId("backend-choice").selectOption(step % 2 === 0 ? "wasm" : "auto"),
    () => page.getByTestId("scene-languages").click(),
    () => page.getByTestId("release").selectOption(step % 2 === 0 ? "idle" : "frame"),
    () => page.getByTestId("scene-digits").click(),
  ];
  await actions[step % actions.length]?.();
  if (step % 4 === 3) await modelIsReady(page);
}

async function useModel(page: Page, url: string): Promise<void> {
  await page.getByTestId("model-address").fill(url);
  await page.getByTestId("load-address").click();
}

test(
  "fifty changes of scene, model, lane, backend and policy leak no worker and no memory",
  { tag: LONG },
  async ({ page, playground, elsewhere }) => {
    const modelUrls = ["mlp-small", "mlp-tiny", "affine-float32"].map((name) => `${elsewhere.url}/models/${name}.onnx`);
    await openPlayground(page, playground.url, "?tiles=4&moving=off");
    const session = await page.context().newCDPSession(page);
    for (let step = 0; step < WARM_UP; step++) await switchOver(page, step, modelUrls);
    const before = await held(session);
    for (let step = WARM_UP; step < SWITCHES; step++) await switchOver(page, step, modelUrls);
    await page.getByTestId("scene-digits").click();
    await modelIsReady(page);
    await expect.poll(() => page.workers().length).toBe(1);
    const after = await held(session);
    expect(after.bytes - before.bytes).toBeLessThan(GROWTH_BYTES);
    expect(after.nodes - before.nodes).toBeLessThan(GROWTH_NODES);
  },
);
