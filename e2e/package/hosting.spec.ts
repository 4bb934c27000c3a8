import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Frame, Page } from "@playwright/test";
import { serve } from "../../scripts/static-server.mjs";
import { MODEL_PATHS, serveHome } from "../support/sites/site.js";
import { expect, LONG, test } from "../support/test.js";

/** The global variable that the script tag of a plain page sets. */
declare const framebatch: typeof import("framebatch");

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
const TINY = MODEL_PATHS["mlp-tiny"];
const RIGHT = 10;

for (const numThreads of [1, 2]) {
  test(
    `the packaged build runs from another origin, as from a CDN, with ${numThreads} threads`,
    { tag: numThreads === 1 ? LONG : [] },
    async ({ page, isolated, elsewhere }) => {
      const html = await (await page.request.get(`${elsewhere.url}/harness.html`)).text();
      const [, script = ""] = /<script[^>]* src="([^"]+)"/.exec(html) ?? [];
      await page.goto(plainPage(isolated.url, "module", elsewhere.url + script));
      await page.waitForFunction(() => "harness" in window);
      const length = await page.evaluate(
        async ([url, threads]) => {
          const { createBatchedModel, itemFor } = window.harness;
          const model = await createBatchedModel(url, { executionProviders: ["wasm"], numThreads: threads });
          const { y } = await model.predict(itemFor("mlp-tiny", 1));
          return y?.data.length;
        },
        [TINY, numThreads] as const,
      );
      expect(length).toBe(RIGHT);
    },
  );
}

test("a script of another origin that does not allow it to be read rejects with the missing header", async ({
  page,
  home,
}) => {
  const stranger = await serveHome();
  await page.goto(plainPage(home.url, "classic", `${stranger.url}/sdk/framebatch.global.js`));
  expect(await outcomeOf(page, TINY)).toMatch(
    /^WORKER_LOAD_FAILED: .*\/sdk\/framebatch\.worker\.js.*\(CORS\).*Access-Control-Allow-Origin/,
  );
  await stranger.close();
});

test("in a sandboxed frame, the model runs from a server with CORS, and otherwise the error says so", async ({
  page,
  home,
  elsewhere,
}) => {
  for (const [site, outcome] of [
    [elsewhere, RIGHT],
    [home, /^WORKER_LOAD_FAILED: .*\(CORS\)/],
  ] as const) {
    await page.goto(`${home.url}/blank.html`);
    const address = plainPage(site.url, "classic", `${site.url}/sdk/framebatch.global.js`);
    const frame = await sandboxedFrame(page, address);
    const result = await outcomeOf(frame, elsewhere.url + TINY);
    if (typeof outcome === "number") expect(result).toBe(outcome);
    else expect(result).toMatch(outcome);
  }
});

test("a missing worker script rejects with its address, the status and the remedy", async ({ page, home }) => {
  await page.goto(plainPage(home.url, "classic", `${home.url}/sdk/framebatch.global.js`));
  expect(await outcomeOf(page, TINY, "/nowhere/framebatch.worker.js")).toBe(
    `WORKER_LOAD_FAILED: expected the worker's script (${home.url}/nowhere/framebatch.worker.js) to start, got status 404; check workerUrl; npx framebatch copy <folder> puts framebatch.worker.js into a folder of your site`,
  );
});

test("a bundle in the format IIFE, which has no address, asks for workerUrl, and runs with it", async ({
  page,
  home,
}) => {
  const folder = await mkdtemp(path.join(ROOT, "test-results", "iife-"));
  const entry = path.join(folder, "entry.js");
  await writeFile(entry, 'import * as all from "framebatch"; globalThis.framebatch = { ...all };');
  await promisify(execFile)(path.join(ROOT, "packages/framebatch/node_modules/.bin/esbuild"), [
    entry,
    "--bundle",
    "--format=iife",
    "--log-level=error",
    `--alias:framebatch=${path.join(ROOT, "packages/framebatch/dist/index.js")}`,
    `--outfile=${path.join(folder, "bundle.js")}`,
  ]);
  await page.goto(`${home.url}/blank.html`);
  await page.addScriptTag({ path: path.join(folder, "bundle.js") });
  await rm(folder, { recursive: true });
  expect(await outcomeOf(page, TINY)).toMatch(
    /^WORKER_LOAD_FAILED: .*format IIFE; run npx framebatch copy .*workerUrl$/,
  );
  expect(await outcomeOf(page, TINY, "/sdk/framebatch.worker.js")).toBe(RIGHT);
});

test("framebatch copy puts all files of a page into a folder", async ({ page }) => {
  const folder = await mkdtemp(path.join(ROOT, "test-results", "copied-"));
  const command = path.join(ROOT, "packages/framebatch/bin/framebatch.mjs");
  await promisify(execFile)(process.execPath, [command, "copy", folder]);
  const site = await serve({
    folders: { "/copied/": folder, "/models/": path.join(ROOT, "models/dist"), "/": path.join(ROOT, "e2e/dist/site") },
  });
  try {
    await page.goto(`${site.url}/blank.html`);
    await page.addScriptTag({ url: `${site.url}/copied/framebatch.global.js` });
    expect(await outcomeOf(page, TINY)).toBe(RIGHT);
  } finally {
    await site.close();
    await rm(folder, { recursive: true });
  }
});

test("framebatch copy without a folder that it can write says so, and fails", async () => {
  const command = path.join(ROOT, "packages/framebatch/bin/framebatch.mjs");
  const usage = "npx framebatch copy <folder>";
  const refused: readonly (readonly [args: readonly string[], said: string])[] = [
    [[], usage],
    [["--wasm"], usage],
    [[command], "expected a folder that can be written"],
  ];
  for (const [args, said] of refused) {
    const run = promisify(execFile)(process.execPath, [command, "copy", ...args]);
    const error: unknown = await run.catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 1, stderr: expect.stringContaining(said) });
    expect(error, "no stack").toMatchObject({ stderr: expect.not.stringContaining("    at ") });
  }
});

function plainPage(origin: string, kind: string, script: string): string {
  return `${origin}/plain-page?kind=${kind}&script=${encodeURIComponent(script)}`;
}

/** Adds a frame whose origin is unlike any other. */
async function sandboxedFrame(page: Page, address: string): Promise<Frame> {
  await page.evaluate((src) => {
    const frame = document.createElement("iframe");
    frame.setAttribute("sandbox", "allow-scripts");
    frame.src = src;
    document.body.append(frame);
  }, address);
  await expect.poll(() => page.frames().length).toBe(2);
  const frame = page.frames()[1];
  if (frame === undefined) throw new Error("expected a frame");
  await frame.waitForFunction(() => "framebatch" in globalThis);
  return frame;
}

/** Returns the number of outputs of the tiny model, or its error as "code: message". */
function outcomeOf(page: Page | Frame, url: string, workerUrl?: string): Promise<unknown> {
  return page.evaluate(
    async ([address, worker]) => {
      try {
        const model = await framebatch.createBatchedModel(address, {
          executionProviders: ["wasm"],
          ...(worker !== undefined && { workerUrl: worker }),
        });
        const { y } = await model.predict(new Float32Array(64));
        return y?.data.length;
      } catch (error) {
        return error instanceof framebatch.FramebatchError ? `${error.code}: ${error.message}` : String(error);
      }
    },
    [url, workerUrl] as const,
  );
}
