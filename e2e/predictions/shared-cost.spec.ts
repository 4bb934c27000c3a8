import { readFileSync } from "node:fs";
import type { Browser, Page } from "@playwright/test";
import { openTabs } from "../support/pages/shared-tabs.js";
import type { Site } from "../support/sites/site.js";
import { MODEL_PATHS } from "../support/sites/site.js";
import { expect, LONG, test } from "../support/test.js";

const TABS = 4;
const MODELS = [MODEL_PATHS.digits, "/models/languages/languages.onnx"];

interface Cost {
  /** Bytes that the server has sent. */
  readonly bytes: number;
  /** Growth of the memory of all processes of the browser (proportional set size), in MB. */
  readonly memoryMB: number;
  /** Time until the first answer of each tab, in milliseconds, one tab after the other. */
  readonly firstAnswerMs: readonly number[];
}

test("four tabs with one session load less, and need less memory", { tag: LONG }, async ({ browser, home }) => {
  for (const url of MODELS) {
    const own = await costOf(browser, home, url, false);
    const shared = await costOf(browser, home, url, true);
    test.info().annotations.push({ type: url, description: JSON.stringify({ own, shared }) });
    expect(shared.bytes).toBeLessThan(own.bytes / 2);
    expect(shared.memoryMB).toBeLessThan(own.memoryMB / 2);
  }
});

/** Opens the model in several tabs, one after the other. The cache of framebatch is off, so that each load counts. */
async function costOf(browser: Browser, home: Site, url: string, shared: boolean): Promise<Cost> {
  const context = await browser.newContext();
  try {
    const tabs = await openTabs(context, home.url, TABS);
    const [memoryBefore, answered] = [await memoryOf(browser), home.answered.length];
    const firstAnswerMs: number[] = [];
    for (const tab of tabs) firstAnswerMs.push(await firstAnswer(tab, url, shared));
    const bytes = home.answered.slice(answered).reduce((sum, response) => sum + response.bytes, 0);
    return { bytes, memoryMB: Math.round((await memoryOf(browser)) - memoryBefore), firstAnswerMs };
  } finally {
    await context.close();
  }
}

function firstAnswer(tab: Page, url: string, shared: boolean): Promise<number> {
  return tab.evaluate(
    async (request) => {
      const { createBatchedModel } = window.harness;
      const startedAtMs = performance.now();
      const model = await createBatchedModel(request.url, {
        executionProviders: ["wasm"],
        shared: request.shared,
        cache: false,
      });
      const zeros = model.inputs.map(({ name, type, dims, batchAxis }) => {
        const own = dims.flatMap((size, axis) => (axis === batchAxis ? [] : [size ?? 16]));
        const length = own.reduce((product, size) => product * size, 1);
        return [name, { data: type === "int32" ? new Int32Array(length) : new Float32Array(length), dims: own }];
      });
      await model.predict(Object.fromEntries(zeros));
      return Math.round(performance.now() - startedAtMs);
    },
    { url, shared },
  );
}

/** Returns the memory of all processes of a browser on Linux, in MB. Memory that they share counts once. */
async function memoryOf(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  const kilobytes = processInfo.map(({ id }) => {
    const [, pss = "0"] = /^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${id}/smaps_rollup`, "utf8")) ?? [];
    return Number(pss);
  });
  return kilobytes.reduce((sum, size) => sum + size, 0) / 1024;
}
