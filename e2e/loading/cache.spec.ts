import type { Page, Worker } from "@playwright/test";
import { EXTERNAL_WEIGHTS } from "../support/sites/external-data.js";
import { holdTimers, untilDue } from "../support/pages/held-timers.js";
import { loadOnce } from "../support/loading.js";
import { expect, LONG, test } from "../support/test.js";
import { runFirstInWorkers } from "../support/pages/worker-hook.js";

const MODEL = "/models/mlp-784.onnx";
const TINY = "/models/mlp-tiny.onnx";

test("an unchanged model is not downloaded again", async ({ harness, home }) => {
  expect(await loadOnce(harness, { url: home.url + MODEL })).toMatchObject({ fromCache: false });
  const whole = () => home.answered.filter(({ path, status }) => path === MODEL && status === 200).length;
  const before = whole();
  await harness.reload();
  await harness.waitForFunction(() => "harness" in window);
  expect(await loadOnce(harness, { url: home.url + MODEL })).toMatchObject({ fromCache: true });
  expect(whole()).toBe(before);
});

test("a changed model is downloaded again", { tag: LONG }, async ({ harness, home }) => {
  const url = `${home.url}/faults/compressed-model.onnx?load=changing`;
  expect(await loadOnce(harness, { url })).toMatchObject({ fromCache: false });
  expect(await loadOnce(harness, { url })).toMatchObject({ fromCache: true });
  home.faults.repair("changing");
  expect(await loadOnce(harness, { url })).toMatchObject({ fromCache: false });
  expect(await loadOnce(harness, { url })).toMatchObject({ fromCache: true });
});

test("with cache: false, nothing is stored", async ({ harness, home }) => {
  const kept = await harness.evaluate(async (url) => {
    const model = await window.harness.createBatchedModel(url, { executionProviders: ["wasm"], cache: false });
    await model.dispose();
    return indexedDB.databases();
  }, home.url + TINY);
  expect(kept).toEqual([]);
});

test("cached models can be listed, and removed individually or together", async ({ harness, home }) => {
  for (const path of [MODEL, `${MODEL}?second`, `${MODEL}?third`]) await loadOnce(harness, { url: home.url + path });
  const seen = await harness.evaluate(
    async ([first, second]) => {
      const { listCachedModels, clearModelCache } = window.harness;
      const [newest] = await listCachedModels();
      await clearModelCache(first);
      await clearModelCache(first);
      const two = (await listCachedModels()).map(({ url }) => url);
      await clearModelCache(new URL(second!, location.href));
      const one = (await listCachedModels()).length;
      await clearModelCache();
      return { newest, two, one, none: await listCachedModels() };
    },
    [home.url + MODEL, `${MODEL}?second`],
  );
  const urls = [`${home.url}${MODEL}?third`, `${home.url}${MODEL}?second`];
  expect(seen).toEqual({
    newest: {
      url: urls[0],
      bytes: 2_143_769,
      storedAt: expect.any(Date),
      lastUsedAt: expect.any(Date),
      validator: expect.stringContaining("2143769"),
      integrity: expect.stringMatching(/^sha256-[\w+/]{43}=$/),
    },
    two: urls,
    one: 1,
    none: [],
  });
});

/**
 * Code for a worker that simulates a browser with space for two models. The quota of a real browser is not exact: for
 * seconds, it still counts deleted data and rejected writes.
 */
const ROOM_FOR_TWO = `{
  const { put } = IDBObjectStore.prototype;
  IDBObjectStore.prototype.put = function (...terms) {
    const request = put.apply(this, terms);
    const count = this.count();
    count.onsuccess = () => {
      if (this.name !== "bytes" || count.result <= 2) return;
      const error = new DOMException("no room", "QuotaExceededError");
      Reflect.defineProperty(this.transaction, "error", { value: error });
      this.transaction.abort();
    };
    return request;
  };
}`;

test(
  "when the storage is full, the least recently used model is removed, and the newest is stored",
  { tag: LONG },
  async ({ harness, home }) => {
    await runFirstInWorkers(harness, ROOM_FOR_TWO);
    const urls = ["?1", "?2", "?3"].map((query) => home.url + MODEL + query);
    const [first = "", second = "", third = ""] = urls;
    for (const url of [first, second]) await loadOnce(harness, { url });
    const secondAt = (await lastUsed(harness, second)) ?? 0;
    expect(await loadOnce(harness, { url: first })).toMatchObject({ fromCache: true });
    await expect.poll(() => lastUsed(harness, first)).toBeGreaterThan(secondAt);
    expect(await loadOnce(harness, { url: third })).toMatchObject({ fromCache: false, events: [] });
    const left = await harness.evaluate(async () => (await window.harness.listCachedModels()).map(({ url }) => url));
    expect(left).toEqual([third, first]);
  },
);

/** Returns when a model was last used, in milliseconds since 1970. */
function lastUsed(page: Page, url: string): Promise<number | undefined> {
  return page.evaluate(async (wanted) => {
    const cached = await window.harness.listCachedModels();
    return cached.find((model) => model.url === wanted)?.lastUsedAt.getTime();
  }, url);
}

test("measured run times are cached with the model, and removed with it", { tag: LONG }, async ({ harness, home }) => {
  const facts = async () =>
    harness.evaluate(async () => {
      const request = indexedDB.open("framebatch-models");
      await new Promise((resolve) => (request.onsuccess = resolve));
      const keys = request.result.transaction("manifests").objectStore("manifests").getAllKeys();
      await new Promise((resolve) => (keys.onsuccess = resolve));
      request.result.close();
      return keys.result.filter((key) => typeof key === "string" && key.startsWith("facts ")).length;
    });
  const load = (batches: number) =>
    harness.evaluate(
      async ([url, count]) => {
        const { createBatchedModel, itemFor } = window.harness;
        const model = await createBatchedModel(url, {
          executionProviders: ["wasm"],
          warmup: false,
          batching: false,
        });
        const known = model.stats().cost.curve.length;
        for (let left = count; left > 0; left -= 1) await model.predict(itemFor("mlp-tiny", 1));
        return known;
      },
      [home.url + TINY, batches] as const,
    );
  expect(await load(64)).toBe(0);
  await expect.poll(facts).toBe(1);
  expect(await load(0)).toBeGreaterThan(0);
  await harness.evaluate(() => window.harness.clearModelCache());
  expect(await facts()).toBe(0);
});

test("external weights are loaded, cached and counted in the progress", { tag: LONG }, async ({ harness, home }) => {
  const load = () =>
    harness.evaluate(async (origin) => {
      const { createBatchedModel, listCachedModels } = window.harness;
      const steps: { phase: string; loadedBytes: number; totalBytes: number | null }[] = [];
      const model = await createBatchedModel(`${origin}/external/model.onnx`, {
        executionProviders: ["wasm"],
        externalData: [{ path: "weights.data", source: "/external/weights.data" }],
        onProgress: (step) => steps.push(step),
      });
      const { y } = await model.predict(Float32Array.of(1, 1, 1, 1));
      while ((await listCachedModels()).length < 2) await new Promise((resolve) => setTimeout(resolve, 20));
      const { fromCache, modelBytes } = model.stats();
      await model.dispose();
      return { y: Array.from(y?.data ?? [], Number), fromCache, modelBytes, last: steps.at(-1), first: steps[0] };
    }, home.url);
  const first = await load();
  expect(first).toMatchObject({ y: EXTERNAL_WEIGHTS, fromCache: false, first: { phase: "download" } });
  expect(first.last).toEqual({ phase: "ready", loadedBytes: first.modelBytes, totalBytes: first.modelBytes });
  const second = await load();
  expect(second).toMatchObject({ y: EXTERNAL_WEIGHTS, fromCache: true });
  expect(second.first).toEqual({ phase: "cache", loadedBytes: first.modelBytes, totalBytes: first.modelBytes });
});

test("missing or wrong external weights reject with their own error", async ({ harness }) => {
  const codes = await harness.evaluate(
    async (integrity) => {
      const { createBatchedModel, failureOf } = window.harness;
      const load = (file: { source: string; integrity?: string }) =>
        failureOf(
          createBatchedModel("/external/model.onnx", {
            executionProviders: ["wasm"],
            externalData: [{ path: "weights.data", ...file }],
          }),
        );
      const outcomes = [
        await load({ source: "/faults/missing.onnx" }),
        await load({ source: "/external/weights.data", integrity }),
      ];
      return outcomes.map((failure) => failure?.code);
    },
    `sha256-${"A".repeat(43)}=`,
  );
  expect(codes).toEqual(["MODEL_STATUS", "MODEL_INTEGRITY"]);
});

test("concurrent loads in two tabs share one download, and all report its progress", async ({ harness, home }) => {
  const other = await openTab(harness);
  const url = `${home.url}/faults/paused-model.onnx?load=together`;
  const load = (page: Page) =>
    page.evaluate(async (address) => {
      window.seen ??= 0;
      let bytes = 0;
      const model = await window.harness.createBatchedModel(address, {
        executionProviders: ["wasm"],
        onProgress: ({ loadedBytes }) => {
          if (loadedBytes > bytes && loadedBytes < 2_143_769) window.seen += 1;
          bytes = loadedBytes;
        },
      });
      await model.predict(window.harness.itemFor("mlp-784", 1));
      return model.stats().fromCache;
    }, url);
  const loads = Promise.all([load(harness), load(harness), load(other)]);
  await untilWaiting(harness, url, 2);
  // Waiting loads report the progress from now on.
  const [seen, seenByOther] = await Promise.all([harness, other].map((page) => page.evaluate(() => window.seen)));
  // Several pieces: a browser may connect a waiting worker to the channel after it has requested the lock.
  const seenBy = (page: Page) => () => {
    home.faults.sendMore("together");
    return page.evaluate(() => window.seen);
  };
  await expect.poll(seenBy(harness)).toBeGreaterThan(1 + (seen ?? 0));
  await expect.poll(seenBy(other)).toBeGreaterThan(seenByOther ?? 0);
  home.faults.finish("together");
  expect((await loads).filter((fromCache) => !fromCache)).toHaveLength(1);
  expect(home.faults.timesAsked("together")).toBeLessThanOrEqual(3);
});

declare global {
  interface Window {
    /** The number of progress reports of incomplete downloads, over all models of this page. */
    seen: number;
  }
}

test(
  "a load does not wait for a stalled download in another tab, nor for a closed tab",
  { tag: LONG },
  async ({ harness, home }) => {
    const url = `${home.url}/faults/stalled-in-body.onnx?load=stalled`;
    const other = await openTab(harness);
    const start = (page: Page) =>
      page.evaluate((address) => {
        void window.harness.failureOf(window.harness.createBatchedModel(address, { executionProviders: ["wasm"] }));
      }, url);
    await runFirstInWorkers(harness, holdTimers(PATIENCE_MS));
    const load = () => loadOnce(harness, { url, options: { stallTimeoutMs: PATIENCE_MS } });
    await start(other);
    await expect.poll(() => home.faults.timesAsked("stalled")).toBe(1);
    home.faults.repair("stalled");
    const patient = load();
    await untilWaiting(harness, url, 1);
    await untilDue(await onlyWorker(harness));
    expect(await patient).toMatchObject({ code: null, fromCache: false });

    await harness.evaluate(() => window.harness.clearModelCache());
    const waiting = load();
    await untilWaiting(harness, url, 1);
    await other.close();
    expect(await waiting).toMatchObject({ code: null, fromCache: false });
  },
);

/** Longer than any test, so that it never passes. */
const PATIENCE_MS = 3_600_000;

/** Resolves when `count` workers wait for another worker's download of a model. */
async function untilWaiting(page: Page, url: string, count: number): Promise<void> {
  const waiting = () =>
    page.evaluate(async (address) => {
      const { pending = [] } = await navigator.locks.query();
      return pending.filter(({ name }) => name?.includes(address)).length;
    }, url);
  await expect.poll(waiting).toBe(count);
}

async function onlyWorker(page: Page): Promise<Worker> {
  const [worker] = page.workers();
  return worker ?? page.waitForEvent("worker");
}

async function openTab(beside: Page): Promise<Page> {
  const page = await beside.context().newPage();
  await page.goto(beside.url());
  await page.waitForFunction(() => "harness" in window);
  return page;
}
