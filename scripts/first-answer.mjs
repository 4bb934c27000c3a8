// Measures the first answer of a new visitor over a network: with framebatch, and with plain ONNX Runtime in a worker by
// hand. Both are applications that Vite builds. A model of 0.25 MB, so that code and ONNX Runtime decide.
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { existing, namedFolder, positiveNumber, readArguments, wholeNumber } from "./arguments.mjs";
import { findChromium, SANDBOX_FLAGS } from "./chromium.mjs";
import { serveSlowly } from "./first-answer/slow-server.mjs";
import { ensureBuilt, ensureInstalled, main, root, withTemporaryFolder } from "./workspace.mjs";

const USAGE = `Usage: npm run measure first-answer -- [options]
  Needs openssl, for the certificate of its server.
  --mbit NUMBER        the network, in Mbit a second (default: 10)
  --delay NUMBER       from a request to its first byte, in ms (default: 50)
  --rounds NUMBER      visits of each way, in turns (default: 9)
  --dist NAME=FOLDER   also measures another build of framebatch, e.g. before=../base/packages/framebatch/dist`;

const OPTIONS = /** @type {const} */ ({
  mbit: { type: "string", default: "10" },
  delay: { type: "string", default: "50" },
  rounds: { type: "string", default: "9" },
  dist: { type: "string", multiple: true, default: [] },
});

const LIMIT_MS = 120_000;
const sources = path.join(root, "scripts/first-answer");
const library = path.join(root, "packages/framebatch");

/** @typedef {{ readonly name: string, readonly entry: string, readonly dist: string }} Way */

await main(async () => {
  const { network, rounds, builds } = readArguments(USAGE, { options: OPTIONS }, ({ values }) => ({
    network: {
      mbPerS: positiveNumber("--mbit", values.mbit) / 8,
      delayMs: wholeNumber("--delay", values.delay, { least: 0 }),
    },
    rounds: wholeNumber("--rounds", values.rounds),
    builds: values.dist.map(builtFolder),
  }));
  await ensureInstalled();
  await ensureBuilt();
  /** @type {Way[]} */
  const ways = [
    { name: "by hand", entry: "by-hand.js", dist: "" },
    { name: "framebatch", entry: "framebatch.js", dist: path.join(library, "dist") },
    ...builds.map(({ name, folder }) => ({ name, entry: "framebatch.js", dist: path.resolve(folder) })),
  ];
  await withTemporaryFolder(async (folder) => print(await visits(ways, folder, network, rounds)));
});

/** @param {string} text */
function builtFolder(text) {
  const { name, folder } = namedFolder("--dist", text);
  existing("--dist", path.join(folder, "index.js"));
  return { name, folder };
}

/**
 * @param {readonly Way[]} ways
 * @param {string} folder
 * @param {import("./first-answer/slow-server.mjs").Network} network
 * @param {number} rounds
 */
async function visits(ways, folder, network, rounds) {
  const { chromium } = await import("@playwright/test");
  const args = ["--ignore-certificate-errors", ...SANDBOX_FLAGS];
  for (const way of ways) await build(way, path.join(folder, way.name));
  const visited = [];
  for (const { name } of ways) {
    const site = await serveSlowly(path.join(folder, name), network);
    visited.push({ name, site, ms: /** @type {number[]} */ ([]), bytes: 0 });
  }
  const browser = await chromium.launch({ executablePath: await findChromium(), args });
  for (let round = 0; round < rounds; round++) {
    for (const way of round % 2 === 0 ? visited : visited.toReversed()) {
      const before = way.site.sentBytes();
      way.ms.push(await visit(browser, way.site.url));
      way.bytes = way.site.sentBytes() - before;
    }
  }
  await browser.close();
  for (const { site } of visited) site.close();
  return visited;
}

/** @param {Way} way @param {string} outDir */
async function build({ entry, dist }, outDir) {
  const { build: bundle } = await import("vite");
  const app = path.join(outDir, "..", `${path.basename(outDir)}-source`);
  mkdirSync(app);
  writeFileSync(path.join(app, "index.html"), `<!doctype html><script type="module" src="./${entry}"></script>`);
  for (const name of ["framebatch.js", "by-hand.js", "by-hand.worker.js"])
    copyFileSync(path.join(sources, name), path.join(app, name));
  const alias = {
    framebatch: path.join(dist, "index.js"),
    "onnxruntime-web/wasm": path.join(library, "node_modules/onnxruntime-web/dist/ort.wasm.bundle.min.mjs"),
  };
  await bundle({
    root: app,
    configFile: false,
    logLevel: "error",
    resolve: { alias },
    worker: { format: "es" },
    build: { outDir, target: "esnext" },
  });
  copyFileSync(path.join(root, "models/digits/digits.onnx"), path.join(outDir, "digits.onnx"));
}

/** Returns the time of the first answer, from the start of the navigation. @param {import("@playwright/test").Browser} browser @param {string} url */
async function visit(browser, url) {
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  const page = await context.newPage();
  await page.goto(url);
  await page.waitForFunction(() => "firstAnswer" in window, null, { timeout: LIMIT_MS });
  const ms = await page.evaluate(() => Number(Reflect.get(window, "firstAnswer").atMs));
  await context.close();
  return ms;
}

/** @param {readonly { readonly name: string, readonly ms: readonly number[], readonly bytes: number }[]} visited by hand first */
function print(visited) {
  const medianOf = (/** @type {readonly number[]} */ ms) => ms.toSorted((a, b) => a - b)[ms.length >> 1] ?? NaN;
  const byHandMs = medianOf(visited[0]?.ms ?? []);
  console.log("\n| way | first answer, ms: median (range) | of that by hand | MB |\n| --- | --- | --- | --- |");
  for (const { name, ms, bytes } of visited) {
    const [median, low, high] = [medianOf(ms), Math.min(...ms), Math.max(...ms)].map(Math.round);
    const share = (medianOf(ms) / byHandMs).toFixed(2);
    console.log(`| ${name} | ${median} (${low} to ${high}) | ${share} | ${(bytes / 1e6).toFixed(2)} |`);
  }
}
