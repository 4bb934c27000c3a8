// Measures in a browser what the simulator of the batcher needs to know of a page: the time of runs, and the processor
// time of the page and its worker besides. Writes them with the page's own figures of each load, which
// `npm run measure sim -- --browser FILE` shows beside the simulated ones.
import { readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { readArguments } from "./arguments.mjs";
import { findChromium, SANDBOX_FLAGS } from "./chromium.mjs";
import { processIds, statOf } from "./processes.mjs";
import { serve } from "./static-server.mjs";
import { ensureInstalled, main, Problem, root } from "./workspace.mjs";

/** Small models: with larger ones, what a page works besides inference does not show. */
const MODELS = [
  { name: "mlp-tiny", dims: [64] },
  { name: "cnn-28", dims: [1, 28, 28] },
];
const CLOSED = [1, 4, 16, 64, 256];
const BURSTS = [4, 16, 64];
const SLICE_MS = 1000;

const USAGE = `Usage: npm run measure page-costs -- FILE
  FILE   what it writes, as JSON`;

await main(async () => {
  const file = readArguments(USAGE, { allowPositionals: true }, ({ positionals }) => oneFile(positionals));
  await ensureInstalled();
  const folders = { "/": path.join(root, "packages/framebatch/dist"), "/models/": path.join(root, "models/dist") };
  const site = await serve({ folders, intercept: emptyPage });
  try {
    const models = [];
    for (const model of MODELS) models.push(await measured(site.url, model));
    writeFileSync(file, JSON.stringify({ models }, null, 2));
  } finally {
    await site.close();
  }
});

/** @param {readonly string[]} files */
function oneFile([file, ...others]) {
  if (file !== undefined && others.length === 0) return file;
  throw new Problem(`Expected one file to write, got ${others.length + (file === undefined ? 0 : 1)}.`);
}

/** @type {import("./static-server.mjs").StaticSite["intercept"]} */
function emptyPage({ url }, response) {
  if (url !== "/") return false;
  response.writeHead(200, { "Content-Type": "text/html" }).end("<!doctype html><title>page</title>");
  return true;
}

/** @param {string} url @param {typeof MODELS[number]} model */
async function measured(url, model) {
  const { chromium } = await import("@playwright/test");
  const browser = await chromium.launch({ executablePath: await findChromium(), args: SANDBOX_FLAGS });
  try {
    const page = await browser.newPage();
    await page.goto(url);
    await page.evaluate(openModel, model);
    const session = await page.context().newCDPSession(page);
    await session.send("Performance.enable");
    const cells = [];
    for (const load of [...CLOSED.map((n) => `closed ${n}`), ...BURSTS.map((n) => `isolated burst ${n}`)]) {
      await page.evaluate(applyLoad, { load, ms: SLICE_MS / 2 });
      const before = await busyMs(session);
      const figures = await page.evaluate(applyLoad, { load, ms: SLICE_MS });
      const after = await busyMs(session);
      cells.push({
        load,
        ...figures,
        pageMs: after.pageMs - before.pageMs,
        workerMs: after.workerMs - before.workerMs,
      });
    }
    const result = { name: model.name, ...costsOf(cells), cells };
    show(result);
    return result;
  } finally {
    await browser.close();
  }
}

/** Processor time of the page's main thread and of its workers so far. @param {import("@playwright/test").CDPSession} session */
async function busyMs(session) {
  const { metrics } = await session.send("Performance.getMetrics");
  const seconds = metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0;
  return { pageMs: 1000 * seconds, workerMs: workerThreadsMs() };
}

/** Processor time so far of the workers of the browsers that this process has started. Linux only. */
function workerThreadsMs() {
  const threads = processIds()
    .filter(isOwn)
    .flatMap((id) => readdirSync(`/proc/${id}/task`).map((thread) => statOf(`/proc/${id}/task/${thread}`)));
  const workers = threads.filter(({ name }) => name.startsWith("DedicatedWorker"));
  return workers.reduce((sum, { cpuMs }) => sum + cpuMs, 0);
}

/** Whether a process descends from this one. @param {string} id @returns {boolean} */
function isOwn(id) {
  if (id === String(process.pid)) return true;
  const { parent } = statOf(`/proc/${id}`);
  return parent !== "" && parent !== "0" && isOwn(parent);
}

/**
 * @typedef {object} Figures
 * @property {string} load
 * @property {number} answers
 * @property {number} batches
 * @property {number} perSec
 * @property {number} p50Ms
 * @property {number} meanMs
 * @property {number} firstMs
 * @property {number} runMs mean time of a batch, from its dispatch to its answer
 * @property {number} inferenceMs
 * @property {number} pageMs processor time of the page
 * @property {number} workerMs
 */

/**
 * Closed loops show the times of runs by their mean size, without pauses. The page takes 2 c for each call and 2 s for each
 * batch (least squares), and the worker w for each batch besides inference. Of one caller alone, what its run takes besides is
 * the time of the messages. After a pause, a burst that runs as one batch shows how much longer its run takes then.
 *
 * @param {readonly Figures[]} cells
 */
function costsOf(cells) {
  const loops = cells.filter(({ load }) => load.startsWith("closed"));
  const alone = loops[0];
  const slope = Math.max(0, slopeOf(loops.map(sizeOf), loops.map(pageMsOf)));
  const callMs = slope / 2;
  const messageMs = Math.max(0, mean(loops.map(pageMsOf)) - slope * mean(loops.map(sizeOf))) / 2;
  const workerMs = Math.max(0, alone.workerMs / alone.batches - alone.inferenceMs);
  const wireMs = Math.max(0, alone.runMs - alone.inferenceMs - workerMs - 2 * messageMs - callMs);
  const times = loops.map((cell) => [sizeOf(cell), cell.inferenceMs]);
  const outsideMs = wireMs + workerMs + 2 * messageMs;
  const whole = cells.filter((cell) => cell.load.startsWith("isolated") && cell.load.endsWith(` ${sizeOf(cell)}`));
  const cold = whole.map((cell) => cell.runMs - outsideMs - sizeOf(cell) * callMs - between(times, sizeOf(cell)));
  const pauseMs = cold.length === 0 ? 0 : Math.max(0, mean(cold));
  return { times, page: { callMs, messageMs, workerMs, pauseMs }, messageMs: wireMs };
}

/** @param {Figures} cell the mean size of its batches */
function sizeOf({ answers, batches }) {
  return answers / batches;
}

/** @param {Figures} cell the page's processor time for each batch */
function pageMsOf({ pageMs, batches }) {
  return pageMs / batches;
}

/** Interpolates between measured times. @param {readonly (readonly number[])[]} times @param {number} size */
function between(times, size) {
  const right = Math.max(
    1,
    times.findIndex(([each]) => each >= size),
  );
  const [[fromSize, fromMs], [toSize, toMs]] = [times[right - 1], times[right]];
  return fromMs + ((toMs - fromMs) * (size - fromSize)) / (toSize - fromSize);
}

/** @param {readonly number[]} xs @param {readonly number[]} ys */
function slopeOf(xs, ys) {
  const [x, y] = [mean(xs), mean(ys)];
  return mean(xs.map((each, i) => (each - x) * (ys[i] - y))) / mean(xs.map((each) => (each - x) ** 2));
}

/** @param {readonly number[]} values */
function mean(values) {
  return values.reduce((sum, each) => sum + each, 0) / values.length;
}

/** Runs in the page. */
async function openModel({ name, dims }) {
  const { createBatchedModel } = await import("/framebatch.js");
  const model = await createBatchedModel(`/models/${name}.onnx`, { executionProviders: ["wasm"] });
  const item = new Float32Array(dims.reduce((product, each) => product * each, 1)).map(() => Math.random());
  Object.assign(globalThis, { measured: { model, item } });
}

/** Runs in the page: applies a load for `ms` milliseconds. @returns {Promise<Omit<Figures, "load" | "pageMs" | "workerMs">>} */
async function applyLoad({ load, ms }) {
  const { model, item } = globalThis.measured;
  const count = Number(load.split(" ").at(-1));
  const isClosed = load.startsWith("closed");
  const [batches, latencies, firsts] = [[], [], []];
  const record = ({ detail }) => batches.push(detail);
  model.addEventListener("batch", record);
  const startMs = performance.now();
  let spentMs = 0;
  const call = async (calledMs) => {
    await model.predict(item);
    const nowMs = performance.now();
    latencies.push(nowMs - calledMs);
    return nowMs;
  };
  const loop = async () => {
    for (let nowMs = startMs; nowMs < startMs + ms;) nowMs = await call(nowMs);
  };
  const burst = async () => {
    await new Promise((resolve) => setTimeout(resolve, 8 + 16 * Math.random()));
    const [calledMs, from] = [performance.now(), latencies.length];
    await Promise.all(Array.from({ length: count }, () => call(calledMs)));
    firsts.push(latencies[from]);
    spentMs += performance.now() - calledMs;
  };
  if (isClosed) {
    await Promise.all(Array.from({ length: count }, loop));
    spentMs = performance.now() - startMs;
  } else while (performance.now() < startMs + ms) await burst();
  model.removeEventListener("batch", record);
  const meanOf = (list) => list.reduce((sum, each) => sum + each, 0) / list.length;
  return {
    answers: latencies.length,
    batches: batches.length,
    perSec: (1000 * latencies.length) / spentMs,
    p50Ms: latencies.toSorted((a, b) => a - b)[latencies.length >> 1],
    meanMs: meanOf(latencies),
    firstMs: isClosed ? meanOf(latencies) : meanOf(firsts),
    runMs: meanOf(batches.map(({ dispatchedAtMs, completedAtMs }) => completedAtMs - dispatchedAtMs)),
    inferenceMs: meanOf(batches.map(({ inferenceMs }) => inferenceMs)),
  };
}

/** @param {{ name: string, times: readonly (readonly number[])[], page: object, messageMs: number, cells: readonly Figures[] }} result */
function show({ name, times, page, messageMs, cells }) {
  console.log(`\n${name}: ${times.map(([size, ms]) => `t(${size.toFixed(1)}) = ${ms.toFixed(3)}`).join(", ")} ms`);
  console.log(`page: ${JSON.stringify(page)}, messages on the way: ${messageMs.toFixed(3)} ms`);
  console.table(
    cells.map(({ load, answers, batches, perSec, p50Ms, meanMs, firstMs, runMs, inferenceMs, pageMs, workerMs }) => ({
      load,
      size: answers / batches,
      perSec,
      p50Ms,
      meanMs,
      firstMs,
      runMs,
      inferenceMs,
      pageUsEach: (1000 * pageMs) / answers,
      workerMsEach: workerMs / batches,
    })),
  );
}
