import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { chromium, type BrowserContext, type Page } from "@playwright/test";
import { loadOnce, sentence } from "../support/loading.js";
import { EXTERNAL_WEIGHTS } from "../support/sites/external-data.js";
import type { Site } from "../support/sites/site.js";
import { expect, LONG, test } from "../support/test.js";
import { runFirstInWorkers } from "../support/pages/worker-hook.js";
import { cacheFaults } from "../tables/cache-faults.js";

const MODEL = "/models/mlp-784.onnx";
const DATABASE = "framebatch-models";

/** Causes each fault. Resolves with whether the next load uses the cache. */
const ARRANGEMENTS: Readonly<Record<string, (page: Page, home: Site) => Promise<{ fromCache: boolean }>>> = {
  async quota(page, home) {
    const session = await page.context().newCDPSession(page);
    await session.send("Storage.overrideQuotaForOrigin", { origin: home.url, quotaSize: 500_000 });
    return { fromCache: false };
  },
  async blocked(page) {
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.evaluate(async (name) => {
      await new Promise((resolve) => (indexedDB.open(name).onsuccess = resolve));
      await new Promise((resolve) => (indexedDB.deleteDatabase(name).onblocked = resolve));
    }, DATABASE);
    return { fromCache: false };
  },
  async "closed-connection"(page, home) {
    await loadOnce(page, { url: home.url + MODEL });
    await changeWorker(page, () => {
      const { open } = Object.getOwnPropertyDescriptors(IDBFactory.prototype);
      IDBFactory.prototype.open = function (...given) {
        const request: IDBOpenDBRequest = Reflect.apply(open.value!, this, given);
        // Closes the connection after the first transaction has started.
        request.addEventListener("success", () => setTimeout(() => request.result.close()));
        return request;
      };
    });
    return { fromCache: true };
  },
  async "no-store"(page, home) {
    await page.evaluate(async (name) => {
      const request = indexedDB.open(name, 7);
      await new Promise((resolve) => (request.onsuccess = resolve));
      request.result.close();
    }, DATABASE);
    await loadOnce(page, { url: home.url + MODEL });
    return { fromCache: true };
  },
  async forbidden(page) {
    await changeWorker(page, () => {
      IDBFactory.prototype.open = () => {
        throw new DOMException("not here", "SecurityError");
      };
    });
    return { fromCache: false };
  },
  async damaged(page, home) {
    await loadOnce(page, { url: home.url + MODEL });
    await putInto(page, "bytes", home.url + MODEL, "flipped");
    return { fromCache: false };
  },
  async foreign(page, home) {
    await loadOnce(page, { url: home.url + MODEL });
    await putInto(page, "manifests", `manifest ${home.url}${MODEL}`, { bytes: 7, __proto__: { version: 2 } });
    return { fromCache: false };
  },
  async evicted(page, home) {
    const session = await page.context().newCDPSession(page);
    await page.evaluate(async (url) => {
      const model = await window.harness.createBatchedModel(url, { executionProviders: ["wasm"], warmup: false });
      Object.assign(window, { inUse: model });
      const { listCachedModels } = window.harness;
      while ((await listCachedModels()).length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    }, home.url + MODEL);
    await session.send("Storage.clearDataForOrigin", { origin: home.url, storageTypes: "indexeddb" });
    return { fromCache: false };
  },
  async "closed-while-writing"(page, home) {
    for (const delayMs of [0, 5]) {
      const tab = await page.context().newPage();
      await tab.goto(page.url());
      await tab.waitForFunction(() => "harness" in window);
      await tab.evaluate(async (url) => {
        await window.harness.createBatchedModel(url, { executionProviders: ["wasm"], warmup: false });
      }, `${home.url}${MODEL}?${delayMs}`);
      await new Promise((resolve) => setTimeout(resolve, delayMs));
      await tab.close();
    }
    expect(await brokenEntries(page)).toEqual([]);
    return { fromCache: false };
  },
};

/** Faults that the simulation of the whole system has, or that take the same code path as another one. */
const SISTERS: readonly string[] = [
  "blocked",
  "closed-connection",
  "closed-while-writing",
  "evicted",
  "forbidden",
  "foreign",
  "no-store",
];

for (const fault of cacheFaults) {
  const tag = SISTERS.includes(fault.id) ? LONG : [];
  test(`${fault.id}: the model loads, and the event is ${fault.code}`, { tag }, async ({ harness, home }) => {
    const { fromCache } = await ARRANGEMENTS[fault.id]!(harness, home);
    const outcome = await loadOnce(harness, { url: home.url + MODEL });
    expect(outcome).toMatchObject({ code: null, fromCache });
    const events = fault.code === null ? [] : [expect.stringMatching(`^${fault.code}: `)];
    expect(outcome.events).toEqual(events);
    if (fault.code !== null) expect(outcome.events[0]?.slice(`${fault.code}: `.length)).toMatch(sentence(fault));
  });
}

test("the database can be deleted while a model is in use", async ({ harness, home }) => {
  const isDeleted = await harness.evaluate(
    async ([url, name]) => {
      const { createBatchedModel, listCachedModels, itemFor } = window.harness;
      const model = await createBatchedModel(url!, { executionProviders: ["wasm"], warmup: false });
      while ((await listCachedModels()).length === 0) await new Promise((resolve) => setTimeout(resolve, 20));
      await new Promise((resolve) => (indexedDB.deleteDatabase(name!).onsuccess = resolve));
      await model.predict(itemFor("mlp-784", 1));
      return (await indexedDB.databases()).length === 0;
    },
    [home.url + MODEL, DATABASE],
  );
  expect(isDeleted).toBe(true);
});

test(
  "the data of the site can be cleared while models are in use, and new workers start afterwards",
  { tag: LONG },
  async ({ harness, home }) => {
    const url = home.url + MODEL;
    const opened = await harness.evaluateHandle(async (address) => {
      const { createBatchedModel, itemFor } = window.harness;
      const open = (shared: boolean) => createBatchedModel(address, { executionProviders: ["wasm"], shared });
      const ask = (model: Awaited<ReturnType<typeof open>>) => model.predict(itemFor("mlp-784", 1));
      const models = [await open(false), await open(true)];
      for (const model of models) await ask(model);
      return { models, open, ask };
    }, url);
    // As the header Clear-Site-Data does, and DevTools.
    const session = await harness.context().newCDPSession(harness);
    await session.send("Storage.clearDataForOrigin", { origin: home.url, storageTypes: "all" });
    const failures = await opened.evaluate(async ({ models, open, ask }) => {
      const crashes: string[] = [];
      for (const model of models) {
        model.addEventListener("error", ({ detail }) => crashes.push(detail.message));
        await ask(model);
        await model.restart();
        await ask(model);
      }
      for (const shared of [false, true]) await ask(await open(shared));
      return crashes;
    });
    expect(failures).toEqual([]);
  },
);

test(
  "a model that another tab removes while it is stored leaves no entry that counts as damaged",
  { tag: LONG },
  async ({ harness, home }) => {
    await runFirstInWorkers(harness, REMOVED_AS_STORED);
    const loadTwice = async ([url, name]: readonly [string, string]) => {
      const { createBatchedModel, listCachedModels } = window.harness;
      const removal = new BroadcastChannel("removal");
      const events: string[] = [];
      for (let load = 0; load < 2; load++) {
        const isRemoved = new Promise((resolve) => (removal.onmessage = resolve));
        const model = await createBatchedModel(url, { executionProviders: ["wasm"], warmup: false });
        model.addEventListener("error", ({ detail }) => events.push(detail.message));
        await isRemoved;
        // IndexedDB completes the worker's earlier transactions before this one.
        const database = await new Promise<IDBDatabase>((resolve) => {
          const request = indexedDB.open(name);
          request.onsuccess = () => resolve(request.result);
        });
        const last = database.transaction(["manifests", "bytes"], "readwrite");
        await new Promise((resolve) => (last.oncomplete = resolve));
        database.close();
        await model.dispose();
      }
      return { events, cached: (await listCachedModels()).length };
    };
    expect(await harness.evaluate(loadTwice, [home.url + MODEL, DATABASE] as const)).toEqual({ events: [], cached: 0 });
  },
);

/**
 * Code that removes the bytes of a model right after they are stored, as a tab does that found no manifest for them.
 */
const REMOVED_AS_STORED = `{
  const put = IDBObjectStore.prototype.put;
  const remove = (database, key) => {
    const removal = database.transaction("bytes", "readwrite");
    removal.objectStore("bytes").delete(key);
    removal.addEventListener("complete", () => new BroadcastChannel("removal").postMessage(key));
  };
  IDBObjectStore.prototype.put = function (value, key) {
    const { db } = this.transaction;
    if (this.name === "bytes") this.transaction.addEventListener("complete", () => remove(db, key));
    return put.call(this, value, key);
  };
}`;

test("in a sandboxed frame without storage, the cache functions reject with CACHE_FAILED", async ({
  page,
  elsewhere,
}) => {
  const script = `${elsewhere.url}/sdk/framebatch.global.js`;
  await page.goto(`${elsewhere.url}/plain-page?kind=classic&script=${encodeURIComponent(script)}`);
  await page.evaluate((address) => {
    const frame = document.createElement("iframe");
    frame.setAttribute("sandbox", "allow-scripts");
    frame.src = address;
    document.body.append(frame);
  }, page.url());
  await expect.poll(() => page.frames().length).toBe(2);
  const frame = page.frames()[1]!;
  await frame.waitForFunction(() => "framebatch" in globalThis);
  const codes = await frame.evaluate(async () => {
    const { listCachedModels, clearModelCache } = framebatch;
    const attempts = await Promise.allSettled([listCachedModels(), clearModelCache(), clearModelCache("/a.onnx")]);
    return attempts.map((attempt) => attempt.status === "rejected" && attempt.reason.code);
  });
  expect(codes).toEqual(["CACHE_FAILED", "CACHE_FAILED", "CACHE_FAILED"]);
});

test("a flipped bit on the disk is detected, and the model is downloaded again", { tag: LONG }, async ({ home }) => {
  const profile = await mkdtemp(path.join(tmpdir(), "framebatch-profile-"));
  const url = home.url + MODEL;
  try {
    await inProfile(
      profile,
      async (page) => {
        expect(await loadOnce(page, { url })).toMatchObject({ fromCache: false });
        await page.reload();
        await page.waitForFunction(() => "harness" in window);
        expect(await loadOnce(page, { url })).toMatchObject({ fromCache: true, events: [] });
      },
      home,
    );
    flipBitOnDisk(profile, statSync(modelFile()).size);
    await inProfile(
      profile,
      async (page) => {
        // A new browser may be too slow for the cache's timeout. The load then continues without the cache.
        await expect(async () => {
          expect(await loadOnce(page, { url })).toMatchObject({
            code: null,
            fromCache: false,
            events: [expect.stringContaining("damaged")],
          });
        }).toPass();
        expect(await loadOnce(page, { url })).toMatchObject({ fromCache: true, events: [] });
      },
      home,
    );
  } finally {
    await rm(profile, { recursive: true, force: true });
  }
});

test(
  "external weights that are damaged in the cache are downloaded again",
  { tag: LONG },
  async ({ harness, home }) => {
    const load = () =>
      harness.evaluate(async (origin) => {
        const { createBatchedModel, listCachedModels } = window.harness;
        const model = await createBatchedModel(`${origin}/external/model.onnx`, {
          executionProviders: ["wasm"],
          externalData: [{ path: "weights.data", source: "/external/weights.data" }],
        });
        const { y } = await model.predict(Float32Array.of(1, 1, 1, 1));
        while ((await listCachedModels()).length < 2) await new Promise((resolve) => setTimeout(resolve, 20));
        const { fromCache } = model.stats();
        await model.dispose();
        return { y: Array.from(y?.data ?? [], Number), fromCache };
      }, home.url);
    await load();
    await putInto(harness, "bytes", `${home.url}/external/weights.data`, "flipped");
    expect(await load()).toEqual({ y: [...EXTERNAL_WEIGHTS], fromCache: false });
    expect(await load()).toEqual({ y: [...EXTERNAL_WEIGHTS], fromCache: true });
  },
);

/** The global variable that the script tag of a plain page sets. */
declare const framebatch: typeof import("framebatch");

/** Runs `change` at the start of every worker of the page. */
async function changeWorker(page: Page, change: () => void): Promise<void> {
  await page.route(/worker[^/]*\.js/, async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, body: `(${String(change)})();\n${await answer.text()}` });
  });
}

/** Replaces a value in the database. `"flipped"` flips one bit of the current value. */
async function putInto(page: Page, store: string, key: string, value: unknown): Promise<void> {
  await page.evaluate(
    async ({ name, store: storeName, key: at, value: given }) => {
      const answered = <T>(request: IDBRequest<T>) =>
        new Promise<T>((done) => (request.onsuccess = () => done(request.result)));
      const database = await answered(indexedDB.open(name));
      const objects = () => database.transaction(storeName, "readwrite").objectStore(storeName);
      let put: unknown = given;
      if (given === "flipped") {
        const bytes = new Uint8Array(await (await answered<Blob>(objects().get(at))).arrayBuffer());
        bytes[bytes.length >> 1]! ^= 1;
        put = new Blob([bytes]);
      }
      await answered(objects().put(put, at));
      database.close();
    },
    { name: DATABASE, store, key, value },
  );
}

/** Returns the addresses of models whose manifest has no bytes, or has bytes with a different digest. */
function brokenEntries(page: Page): Promise<string[]> {
  return page.evaluate(async (name) => {
    const answered = <T>(request: IDBRequest<T>) =>
      new Promise<T>((done) => (request.onsuccess = () => done(request.result)));
    const database = await answered(indexedDB.open(name));
    const broken: string[] = [];
    for (const { url, integrity } of await window.harness.listCachedModels()) {
      const blob: Blob | undefined = await answered(database.transaction("bytes").objectStore("bytes").get(url));
      const digest = blob && new Uint8Array(await crypto.subtle.digest("SHA-256", await blob.arrayBuffer()));
      if (digest === undefined || integrity !== `sha256-${btoa(String.fromCharCode(...digest))}`) broken.push(url);
    }
    database.close();
    return broken;
  }, DATABASE);
}

async function inProfile(profile: string, errand: (page: Page) => Promise<void>, home: Site): Promise<void> {
  const { launchOptions = {} } = test.info().project.use;
  const context: BrowserContext = await chromium.launchPersistentContext(profile, launchOptions);
  try {
    const page = await context.newPage();
    await page.goto(`${home.url}/harness.html`);
    await page.waitForFunction(() => "harness" in window);
    await errand(page);
  } finally {
    await context.close();
  }
}

function modelFile(): string {
  return path.join(import.meta.dirname, "../../models/dist/mlp-784.onnx");
}

function flipBitOnDisk(profile: string, size: number): void {
  const files = readdirSync(profile, { recursive: true, encoding: "utf8" }).map((file) => path.join(profile, file));
  const blobs = files.filter((file) => file.includes("IndexedDB") && statSync(file).size === size);
  expect(blobs).toHaveLength(1);
  const bytes = readFileSync(blobs[0]!);
  bytes[bytes.length >> 1]! ^= 1;
  writeFileSync(blobs[0]!, bytes);
}
