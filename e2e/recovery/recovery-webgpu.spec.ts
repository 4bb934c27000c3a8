import type { Browser, Page } from "@playwright/test";
import { expectUnharmed, Ordeal } from "../support/ordeal.js";
import { MODEL_PATHS } from "../support/sites/site.js";
import { expect, LONG, SLOW_ON_GPU, test as base } from "../support/test.js";
import { openTabs } from "../support/pages/shared-tabs.js";
import { REMEMBER_DEVICES, runFirstInWorkers } from "../support/pages/worker-hook.js";

/** `ownPage`: for tests that crash the GPU process. After a few crashes, a browser blocks the GPU for its pages. */
const test = base.extend<{ ownBrowser: Browser; ownPage: Page }>({
  ownBrowser: async ({ playwright, launchOptions }, use) => {
    const browser = await playwright.chromium.launch(launchOptions);
    await use(browser);
    await browser.close();
  },
  ownPage: async ({ ownBrowser, home }, use) => {
    const page = await ownBrowser.newPage();
    await page.goto(`${home.url}/harness.html`);
    await page.waitForFunction(() => "harness" in window);
    await use(page);
  },
});

/** Destroys the device of the newest worker, most likely during a run. */
async function destroyDevice(page: Page): Promise<void> {
  await page.workers().at(-1)?.evaluate("devices.forEach((device) => device.destroy())");
}

test("a device that is lost in flight is replaced by a new one, and the second time by WASM", async ({ harness }) => {
  await runFirstInWorkers(harness, REMEMBER_DEVICES);
  const ordeal = await Ordeal.begin(harness, { executionProviders: ["webgpu", "wasm"] });
  expect((await ordeal.tally()).provider).toBe("webgpu");
  await destroyDevice(harness);
  await ordeal.untilState(2);
  expect((await ordeal.tally()).provider).toBe("webgpu");
  await destroyDevice(harness);
  await ordeal.untilState(4);
  const tally = await ordeal.end();
  expectUnharmed(tally);
  expect(tally).toMatchObject({ provider: "wasm", states: ["recovering", "ready", "recovering", "ready", "disposed"] });
});

test(
  "if the device is lost while the model is idle, the next prediction is answered",
  { tag: SLOW_ON_GPU },
  async ({ harness }) => {
    await runFirstInWorkers(harness, REMEMBER_DEVICES);
    const idle = await harness.evaluateHandle(async (url) => {
      const model = await window.harness.createBatchedModel(url, { executionProviders: ["webgpu"] });
      const states: string[] = [];
      model.addEventListener("statechange", ({ detail }) => states.push(detail.state));
      return { model, states };
    }, MODEL_PATHS["mlp-tiny"]);
    await destroyDevice(harness);
    await expect.poll(() => idle.evaluate(({ states }) => states)).toEqual(["recovering", "ready"]);
    const after = await idle.evaluate(async ({ model }) => {
      const outputs = await model.predict(new Float32Array(64));
      return { lengths: Object.values(outputs).map(({ data }) => data.length), provider: model.executionProvider };
    });
    expect(after).toEqual({ lengths: [10], provider: "webgpu" });
  },
);

test(
  "if the GPU process crashes twice and no adapter remains, the model continues on WASM",
  { tag: SLOW_ON_GPU },
  async ({ ownBrowser, ownPage }) => {
    const ordeal = await Ordeal.begin(ownPage, { executionProviders: ["webgpu", "wasm"] });
    const session = await ownBrowser.newBrowserCDPSession();
    for (const crash of [1, 2]) {
      await session.send("Browser.crashGpuProcess");
      await ordeal.untilState(2 * crash);
    }
    const tally = await ordeal.end();
    expectUnharmed(tally);
    expect(tally.provider).toBe("wasm");
  },
);

test(
  "if the GPU process crashes, tabs that share a session meet in a new one",
  { tag: SLOW_ON_GPU },
  async ({ ownBrowser, home }) => {
    const tabs = await openTabs(await ownBrowser.newContext(), home.url, 2);
    const ordeals = await Promise.all(
      tabs.map((tab) => Ordeal.begin(tab, { executionProviders: ["webgpu", "wasm"], shared: true })),
    );
    for (const ordeal of ordeals) await ordeal.untilTabs(2);
    const session = await ownBrowser.newBrowserCDPSession();
    await session.send("Browser.crashGpuProcess");
    for (const ordeal of ordeals) await ordeal.untilState(2);
    for (const ordeal of ordeals) await ordeal.untilTabs(2);
    for (const ordeal of ordeals) {
      const tally = await ordeal.end();
      expectUnharmed(tally);
      expect(tally).toMatchObject({ provider: "webgpu", states: ["recovering", "ready", "disposed"] });
    }
  },
);

/** Code for a worker in which reading back from a lost device succeeds and gives zeros. */
const FABRICATE = `${REMEMBER_DEVICES}
  const { mapAsync, getMappedRange } = GPUBuffer.prototype;
  const failed = new WeakSet();
  GPUBuffer.prototype.mapAsync = function (...terms) {
    return mapAsync.apply(this, terms).catch(() => void failed.add(this));
  };
  GPUBuffer.prototype.getMappedRange = function (offset = 0, size = this.size - offset) {
    return failed.has(this) ? new ArrayBuffer(size) : getMappedRange.call(this, offset, size);
  };`;

test(
  "data read back from a lost device is never an answer, even if reading it succeeds",
  { tag: LONG },
  async ({ harness }) => {
    await runFirstInWorkers(harness, FABRICATE);
    const ordeal = await Ordeal.begin(harness, { executionProviders: ["webgpu"] });
    for (const loss of [1, 2]) {
      await destroyDevice(harness);
      await ordeal.untilState(2 * loss);
    }
    expectUnharmed(await ordeal.end());
  },
);

test("if the GPU runs out of memory in a run, every answer is still correct", { tag: LONG }, async ({ harness }) => {
  await runFirstInWorkers(harness, REMEMBER_DEVICES);
  const ordeal = await Ordeal.begin(harness, { executionProviders: ["webgpu"] });
  await harness.workers()[0]?.evaluate(`devices[0].dispatchEvent(
    new GPUUncapturedErrorEvent("uncapturederror", { error: new GPUOutOfMemoryError("no room") }),
  )`);
  await ordeal.untilState(2);
  const tally = await ordeal.end();
  expectUnharmed(tally);
  expect(tally.provider).toBe("webgpu");
});

/** Returns code for a worker whose GPU has no memory for buffers of `bytes` bytes or more. */
const refuseBuffersFrom = (bytes: number) => `{
  const { createBuffer } = GPUDevice.prototype;
  GPUDevice.prototype.createBuffer = function (wish) {
    if (wish.size >= ${bytes}) {
      this.dispatchEvent(new GPUUncapturedErrorEvent("uncapturederror", { error: new GPUOutOfMemoryError("no room") }));
    }
    return createBuffer.call(this, wish);
  };
}`;

test(
  "if the warm-up runs out of GPU memory, another worker runs batches of half the size on the GPU",
  { tag: SLOW_ON_GPU },
  async ({ harness }) => {
    const length = 2 ** 14;
    // An item has 64 KiB. There is memory for four items, but not for eight.
    await runFirstInWorkers(harness, refuseBuffersFrom(5 * 4 * length));
    const predictLargeRows = () =>
      harness.evaluate(
        async ([url, size]) => {
          const model = await window.harness.createBatchedModel(url, {
            executionProviders: ["webgpu", "wasm"],
            padding: { seq: { buckets: [size] } },
          });
          const sizes: number[] = [];
          model.addEventListener("batch", ({ detail }) => sizes.push(detail.size));
          const items = Array.from({ length: 10 }, (_, index) => new Float32Array(size).fill(index));
          const outputs = await Promise.all(items.map((seq) => model.predict({ seq })));
          const { providerTrials, state } = model.stats();
          await model.dispose();
          const ends = outputs.map(({ y }) => [y?.data[0], y?.data[size - 1]]);
          return {
            ends,
            largest: Math.max(...sizes),
            trials: providerTrials.map(({ provider, chosen }) => [provider, chosen]),
            state,
          };
        },
        [MODEL_PATHS["variable-length"], length] as const,
      );
    // Retries, because on a busy machine the warm-up may run out of time before a batch of eight.
    await expect(async () => {
      expect(await predictLargeRows()).toEqual({
        ends: Array.from({ length: 10 }, (_, index) => [2 * index + 1, 2 * index + 1]),
        largest: 4,
        trials: [
          ["webgpu", false],
          ["webgpu", true],
        ],
        state: "ready",
      });
    }).toPass();
  },
);
