// Measures how models with large external weights load in Chromium, on WASM with one thread: the peak of the renderer's
// resident memory, and the time to the first answer. Compares with plain ONNX Runtime. Linux only: memory from /proc.
import { once } from "node:events";
import {
  closeSync,
  createReadStream,
  existsSync,
  openSync,
  readFileSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { setTimeout as delay } from "node:timers/promises";
import { namedFolder, positiveNumber, readArguments, wholeNumber } from "./arguments.mjs";
import { findChromium, SANDBOX_FLAGS } from "./chromium.mjs";
import { processIds, statOf } from "./processes.mjs";
import { serve } from "./static-server.mjs";
import { ensureInstalled, main, Problem, root, withTemporaryFolder } from "./workspace.mjs";

const USAGE = `Usage: npm run measure large -- [options]
  Linux only.
  --mb NUMBER          size of the external weights in MB (default: 420)
  --rounds NUMBER      rounds, of which the table shows medians (default: 3)
  --dist NAME=FOLDER   also measures another build of framebatch, e.g. before=../base/packages/framebatch/dist
  --rate NUMBER        the server sends this many MB a second (default: as many as it can)
  --only TEXT          only lanes whose name holds TEXT`;

const OPTIONS = /** @type {const} */ ({
  mb: { type: "string", default: "420" },
  rounds: { type: "string", default: "3" },
  dist: { type: "string", multiple: true, default: [] },
  rate: { type: "string" },
  only: { type: "string", default: "" },
});

const WIDTH = 1024;
const MATRIX_BYTES = WIDTH * WIDTH * 4;
const LIMIT_MS = 300_000;
const MB = 1e6;

/**
 * @typedef {{ readonly name: string, readonly call: string, readonly cachedBy?: string }} Lane `call` is evaluated in the
 *   page. `cachedBy`: address of the build that loads the model first, so that `call` finds it in the cache.
 * @typedef {{ peakMb: number, seconds: number, cpuSeconds: number, answer: number }} Figures
 */

await main(async () => {
  const wanted = readArguments(USAGE, { options: OPTIONS }, ({ values }) => ({
    mb: wholeNumber("--mb", values.mb, { least: 5 }),
    roundCount: wholeNumber("--rounds", values.rounds),
    builds: new Map([["framebatch", path.join(root, "packages/framebatch/dist")], ...values.dist.map(builtFolder)]),
    rate: values.rate === undefined ? Infinity : positiveNumber("--rate", values.rate),
    only: values.only,
  }));
  if (process.platform !== "linux") throw new Problem("The peak of memory is read from /proc. Run this on Linux.");
  await ensureInstalled();
  const lanes = lanesOf([...wanted.builds.keys()]).filter(({ name }) => name.includes(wanted.only));
  await withTemporaryFolder(async (folder) => {
    await writeModel(folder, Math.round((wanted.mb * MB) / MATRIX_BYTES));
    const site = await serve(siteOf(folder, wanted.builds, wanted.rate));
    try {
      print(await rounds(lanes, wanted.roundCount, site.url));
    } finally {
      await site.close();
    }
  });
});

/** @param {string} text @returns {[string, string]} */
function builtFolder(text) {
  const { name, folder } = namedFolder("--dist", text);
  if (!existsSync(path.join(folder, "index.js")))
    throw new Problem(`--dist ${text} has no index.js. Run npm run build there.`);
  return [name, path.resolve(folder)];
}

/** @param {readonly string[]} builds @returns {Lane[]} */
function lanesOf(builds) {
  return [
    { name: "by hand, bytes", call: `byHand(${WIDTH}, false)` },
    { name: "by hand, Blob", call: `byHand(${WIDTH}, true)` },
    ...builds.flatMap((name) => {
      const address = `/builds/${name}/`;
      const call = `withFramebatch(${WIDTH}, "${address}")`;
      return [
        { name: `${name}, network`, call },
        { name: `${name}, cache`, call, cachedBy: address },
      ];
    }),
  ];
}

/** @param {string} folder @param {number} matrices */
async function writeModel(folder, matrices) {
  const { externalWeights, modelWithExternalWeights } = await import("../models/src/external-weights.mjs");
  const size = { matrices, width: WIDTH };
  writeFileSync(path.join(folder, "model.onnx"), modelWithExternalWeights(size));
  const file = openSync(path.join(folder, "weights.data"), "w");
  for (const matrix of externalWeights(size)) writeSync(file, matrix);
  closeSync(file);
}

/** @param {string} folder @param {ReadonlyMap<string, string>} builds @param {number} rate in MB a second */
function siteOf(folder, builds, rate) {
  const ort = path.join(root, "packages/framebatch/node_modules/onnxruntime-web/dist");
  const places = Array.from(builds, ([name, dist]) => [`/builds/${name}/`, dist]);
  /** @type {import("./static-server.mjs").StaticSite["intercept"]} */
  const intercept = ({ url = "" }, response) => {
    if (rate < Infinity && url.startsWith("/model/")) {
      void sendPaced(path.join(folder, path.basename(url)), response, rate);
      return true;
    }
    if (url !== "/") return false;
    response.setHeader("Content-Type", "text/html");
    response.end("<!doctype html><title>Large models</title>");
    return true;
  };
  const lanes = path.join(root, "scripts/large-models");
  return { folders: { "/model/": folder, "/ort/": ort, "/lanes/": lanes, ...Object.fromEntries(places) }, intercept };
}

/**
 * Sends a file as a network of this rate would.
 * @param {string} file @param {import("node:http").ServerResponse} response @param {number} rate in MB a second
 */
async function sendPaced(file, response, rate) {
  response.setHeader("Content-Length", statSync(file).size);
  const startMs = performance.now();
  let sent = 0;
  for await (const chunk of createReadStream(file, { highWaterMark: 2 ** 18 })) {
    if (response.destroyed) return;
    sent += chunk.length;
    await delay(startMs + sent / (rate * 1000) - performance.now());
    if (!response.write(chunk)) await once(response, "drain");
  }
  response.end();
}

/** @param {readonly Lane[]} lanes @param {number} count @param {string} url */
async function rounds(lanes, count, url) {
  /** @type {Map<string, Figures[]>} */
  const figures = new Map(lanes.map(({ name }) => [name, []]));
  for (let round = 0; round < count; round++) {
    for (const lane of lanes) {
      const found = await measure(lane, url);
      figures.get(lane.name)?.push(found);
      const shown = Object.entries(found).map(([key, value]) => `${key} ${value.toFixed(2)}`);
      console.log(`round ${round + 1}, ${lane.name}: ${shown.join(", ")}`);
    }
  }
  return figures;
}

/** Loads the model once in a browser of its own. @param {Lane} lane @param {string} url @returns {Promise<Figures>} */
async function measure({ call, cachedBy }, url) {
  return withTemporaryFolder(async (profile) => {
    if (cachedBy !== undefined) {
      const isCached = await inBrowser(profile, url, `${call}.then(() => lanes.isCached("${cachedBy}"))`);
      if (isCached.value !== true) throw new Problem("The cache did not take the model. Is there space on the disk?");
    }
    const { value, ms, peakMb, cpuSeconds } = await inBrowser(profile, url, call);
    return { peakMb, seconds: ms / 1000, cpuSeconds, answer: Number(value) };
  });
}

/** @param {string} profile @param {string} url @param {string} call */
async function inBrowser(profile, url, call) {
  const { chromium } = await import("@playwright/test");
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: await findChromium(),
    args: SANDBOX_FLAGS,
  });
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(LIMIT_MS);
    await page.goto(url);
    const { value, ms } = await page.evaluate(`(async () => {
      const lanes = await import("/lanes/lanes.js");
      const startMs = performance.now();
      const value = await lanes.${call};
      return { value, ms: performance.now() - startMs };
    })()`);
    return { value, ms, ...largestRenderer(profile) };
  } finally {
    await context.close();
  }
}

/** Returns the figures of the renderer of this browser with the highest peak. @param {string} profile */
function largestRenderer(profile) {
  const isOfBrowser = (/** @type {string} */ pid) => {
    for (let id = pid; id !== "" && id !== "0"; id = statOf(`/proc/${id}`).parent) {
      if (read(`/proc/${id}/cmdline`).includes(`--user-data-dir=${profile}`)) return true;
    }
    return false;
  };
  const renderers = processIds().filter(
    (pid) => read(`/proc/${pid}/cmdline`).includes("--type=renderer") && isOfBrowser(pid),
  );
  const figures = renderers.map((pid) => ({
    peakMb: (Number(fieldOf(pid, "VmHWM")) * 1024) / MB,
    cpuSeconds: statOf(`/proc/${pid}`).cpuMs / 1000,
  }));
  const [largest] = figures.toSorted((a, b) => b.peakMb - a.peakMb);
  if (largest === undefined) throw new Problem("The browser has no renderer in /proc.");
  return largest;
}

/** @param {string} pid @param {string} name */
function fieldOf(pid, name) {
  return new RegExp(`^${name}:\\s*(\\d+)`, "m").exec(read(`/proc/${pid}/status`))?.[1] ?? "";
}

/** Reads a file of a process, which may have ended. @param {string} file */
function read(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

/** @param {ReadonlyMap<string, readonly Figures[]>} figures */
function print(figures) {
  console.log("\n| way | peak of the renderer, MB | first answer, s | processor, s |\n| --- | --- | --- | --- |");
  for (const [name, rows] of figures) {
    const median = (/** @type {keyof Figures} */ key) =>
      rows.map((row) => row[key]).toSorted((a, b) => a - b)[rows.length >> 1];
    console.log(
      `| ${name} | ${median("peakMb")?.toFixed(0)} | ${median("seconds")?.toFixed(1)} | ${median("cpuSeconds")?.toFixed(1)} |`,
    );
  }
  const answers = new Set([...figures.values()].flat().map(({ answer }) => answer.toFixed(3)));
  console.log(`\nAnswers: ${[...answers].join(", ")}. Load of the machine: ${os.loadavg()[0]?.toFixed(1)}.`);
}
