import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { fileURLToPath } from "node:url";
import type { Page } from "@playwright/test";
import { loadOnce, sentence } from "../support/loading.js";
import { expect, LONG, test } from "../support/test.js";
import { downloadFaults } from "../tables/download-faults.js";
import type { DownloadFault } from "../tables/fault.js";

const MODEL = readFileSync(fileURLToPath(new URL("../../models/dist/mlp-784.onnx", import.meta.url)));
const DIGESTS = {
  right: `sha256-${createHash("sha256").update(MODEL).digest("base64")}`,
  wrong: `sha256-${createHash("sha256").update("another").digest("base64")}`,
};

test.describe.configure({ mode: "parallel" });

/** The fault after which the server is repaired in `npm test`: what comes then is the same for each. */
const REPAIRED = "cut-short";
const FIRST_OF_THEIR_CODES = downloadFaults
  .filter(({ id, code }, at) => id !== REPAIRED && downloadFaults.findIndex((other) => other.code === code) === at)
  // The page stays offline after that fault, which is therefore the last one.
  .toSorted((one, other) => Number(one.id === "offline") - Number(other.id === "offline"));

test("a download that fails rejects with its code and stores nothing, for each code", async ({
  harness,
  home,
  playground,
}) => {
  for (const fault of FIRST_OF_THEIR_CODES) {
    await test.step(`${fault.id}: ${fault.code}`, async () => {
      await expectFault(harness, fault, await addressOf(fault, { home: home.url, other: playground.url }));
    });
  }
});

for (const fault of downloadFaults) {
  const title = `${fault.id} rejects with ${fault.code}, stores nothing, and a load succeeds when the fault is over`;

  test(title, { tag: fault.id === REPAIRED ? [] : LONG }, async ({ harness, home, playground }) => {
    const url = await addressOf(fault, { home: home.url, other: playground.url });
    await expectFault(harness, fault, url);
    if (fault.cached === "never") return;
    home.faults.repair(fault.id);
    await harness.context().setOffline(false);
    expect(await loadOnce(harness, { url, options: patientOptionsOf(fault) })).toMatchObject({
      code: null,
      fromCache: false,
      events: [],
    });
    home.faults.break(fault.id);
    if (fault.id === "offline") await harness.context().setOffline(true);
    const again = await loadOnce(harness, { url, options: optionsOf(fault) });
    if (fault.cached === "used") expect(again).toMatchObject({ code: null, fromCache: true });
    else expect(again).toMatchObject(outcomeOf(fault));
  });
}

function outcomeOf(fault: DownloadFault) {
  return { code: fault.code, message: expect.stringMatching(sentence(fault)), fromCache: null };
}

/** Asserts that a load with an empty cache fails as the table says. */
async function expectFault(page: Page, fault: DownloadFault, url: string): Promise<void> {
  if (fault.id === "offline") await goOffline(page);
  const outcome = await loadOnce(page, { url, options: optionsOf(fault) });
  expect(outcome).toMatchObject(outcomeOf(fault));
  expect(outcome.message).not.toMatch(/load=|secret/);
  expect(await cachedUrls(page)).toEqual([]);
}

const PASSING = ["broken-server", "reset", "cut-short", "cut-short-chunked"] as const;

for (const name of PASSING) {
  test(`${name} twice only delays the load, and the progress restarts`, { tag: LONG }, async ({ harness, home }) => {
    const key = `passing-${name}`;
    home.faults.repair(key, 2);
    const { loaded, steps } = await harness.evaluate(async (url) => {
      const progress: number[] = [];
      const model = await window.harness.createBatchedModel(url, {
        executionProviders: ["wasm"],
        warmup: false,
        cache: false,
        onProgress: ({ phase, loadedBytes }) => phase === "download" && progress.push(loadedBytes),
      });
      return { loaded: model.stats().modelBytes, steps: progress };
    }, `/faults/${name}.onnx?load=${key}`);
    expect(loaded).toBe(MODEL.length);
    expect(steps.at(-1)).toBe(MODEL.length);
    // The progress decreases only to 0.
    for (const [index, bytes] of steps.entries()) expect(bytes === 0 || bytes >= (steps[index - 1] ?? 0)).toBe(true);
  });
}

test("if the connection breaks, no part of the file is stored", { tag: LONG }, async ({ harness, home }) => {
  const { codes, kept } = await harness.evaluate(
    async ({ base, size }) => {
      const { createBatchedModel, failureOf, listCachedModels } = window.harness;
      const attempts = [0, 1, 4096, 65_536, 1_000_000, size - 1].map((after) =>
        failureOf(createBatchedModel(`${base}?after=${after}`, { executionProviders: ["wasm"] })),
      );
      const failures = await Promise.all(attempts);
      return { codes: failures.map((failure) => failure?.code), kept: await listCachedModels() };
    },
    { base: `${home.url}/faults/cut-short-after.onnx`, size: MODEL.length },
  );
  expect(codes).toEqual(Array.from({ length: 6 }, () => "MODEL_TRUNCATED"));
  expect(kept).toEqual([]);
});

test("a Retry-After of one second delays the retry", { tag: LONG }, async ({ harness, home }) => {
  home.faults.repair("patience", 1);
  const url = "/faults/unavailable-for-a-second.onnx?load=patience";
  expect(await loadOnce(harness, { url, options: { cache: false } })).toMatchObject({
    code: null,
  });
});

for (const name of ["compressed-model", "chunked-model"]) {
  test(
    `the progress of a ${name} has no total, and its cached copy is used`,
    { tag: name === "chunked-model" ? LONG : [] },
    async ({ harness, home }) => {
      const url = `${home.url}/faults/${name}.onnx`;
      const steps = await harness.evaluate(async (address) => {
        const progress: (number | null)[][] = [];
        const model = await window.harness.createBatchedModel(address, {
          executionProviders: ["wasm"],
          cache: false,
          onProgress: ({ phase, loadedBytes, totalBytes }) => {
            if (phase === "download") progress.push([loadedBytes, totalBytes]);
          },
        });
        await model.dispose();
        return progress;
      }, url);
      expect(steps.at(-1)).toEqual([MODEL.length, null]);
      expect(await loadOnce(harness, { url })).toMatchObject({ code: null, fromCache: false });
      expect(await loadOnce(harness, { url })).toMatchObject({ code: null, fromCache: true });
    },
  );
}

test("blob: and data: URLs load, and are not cached", async ({ harness, home }) => {
  const outcomes = await harness.evaluate(async (url) => {
    const bytes = await (await fetch(url)).blob();
    const base64 = btoa(
      Array.from(new Uint8Array(await bytes.arrayBuffer()), (byte) => String.fromCharCode(byte)).join(""),
    );
    const { createBatchedModel, listCachedModels } = window.harness;
    for (const address of [URL.createObjectURL(bytes), `data:application/octet-stream;base64,${base64}`]) {
      await (await createBatchedModel(address, { executionProviders: ["wasm"], warmup: false })).dispose();
    }
    return listCachedModels();
  }, `${home.url}/models/mlp-tiny.onnx`);
  expect(outcomes).toEqual([]);
});

function optionsOf({ options = {} }: DownloadFault) {
  const { integrity, ...others } = options;
  return { ...others, ...(integrity !== undefined && { integrity: DIGESTS[integrity] }) };
}

/** Returns the options of a load that must succeed: without a short stall timeout, because the machine may be busy. */
function patientOptionsOf({ options = {} }: DownloadFault) {
  const { integrity, maxModelBytes } = options;
  return {
    ...(maxModelBytes !== undefined && { maxModelBytes }),
    ...(integrity !== undefined && { integrity: DIGESTS.right }),
  };
}

async function addressOf({ id, address }: DownloadFault, sites: { home: string; other: string }): Promise<string> {
  const query = `?load=${id}`;
  if (address.startsWith("/")) return `${sites.home}${address}${query}`;
  if (address.startsWith("other:")) return `${sites.other}${address.slice("other:".length)}${query}`;
  if (address.startsWith("dead:"))
    return `http://localhost:${await deadPort()}${address.slice("dead:".length)}${query}`;
  return address;
}

function cachedUrls(page: Page): Promise<string[]> {
  return page.evaluate(async () => (await window.harness.listCachedModels()).map(({ url }) => url));
}

/** Resolves with a port on which no server listens. */
function deadPort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

/** Takes the browser offline. Requests outside `/faults/` are still answered, as by a service worker. */
async function goOffline(page: Page): Promise<void> {
  await page.route(
    (url) => !url.pathname.startsWith("/faults/"),
    async (route) => {
      const answer = await fetch(route.request().url());
      await route.fulfill({
        status: answer.status,
        headers: Object.fromEntries(answer.headers),
        body: Buffer.from(await answer.arrayBuffer()),
      });
    },
  );
  await page.context().setOffline(true);
}
