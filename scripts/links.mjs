// Measures a link between two models of a group against the same two stages with a function in between, in Chromium: what
// crosses the page, what is read back from the GPU, the time of a run, and what is left after many runs with a lost device or
// worker in between. Then a model whose state stays where it is computed against the same one with a budget of 0 bytes for that.
import path from "node:path";
import { oneOf, readArguments, wholeNumber } from "./arguments.mjs";
import { findChromium, SANDBOX_FLAGS } from "./chromium.mjs";
import { serve } from "./static-server.mjs";
import { ensureInstalled, main, root } from "./workspace.mjs";

const USAGE = `Usage: npm run measure links -- [options]
  --provider NAME   webgpu (on SwiftShader) or wasm (default: webgpu)
  --runs NUMBER     runs of each lane and round (default: 200)
  --rounds NUMBER   rounds (default: 5)
  --callers NUMBER  callers that each wait for their answer (default: 8)
  --length NUMBER   numbers in the tensor between the stages (default: 16384)
  --soak NUMBER     runs with a loss in between, after which buffers are counted (default: 10000; 0 for none)
  --steps NUMBER    steps of each lane and round of the model with a state (default: 200; 0 for none)`;

const OPTIONS = /** @type {const} */ ({
  provider: { type: "string", default: "webgpu" },
  runs: { type: "string", default: "200" },
  rounds: { type: "string", default: "5" },
  callers: { type: "string", default: "8" },
  length: { type: "string", default: "16384" },
  soak: { type: "string", default: "10000" },
  steps: { type: "string", default: "200" },
});

const WEBGPU = ["--enable-unsafe-webgpu", "--use-webgpu-adapter=swiftshader"];

/** Counts messages that carry a run or its reply, their bytes, and what the GPU gives back. Runs on the page and in the worker. */
const COUNTERS = `{
  self.counts = { messages: 0, bytes: 0, readBack: 0 };
  self.devices = [];
  self.buffers = new Set();
  const sizeOf = (value) => {
    if (ArrayBuffer.isView(value)) return value.byteLength;
    if (typeof value !== "object" || value === null || value instanceof MessagePort) return 0;
    return Object.values(value).reduce((sum, each) => sum + sizeOf(each), 0);
  };
  const post = MessagePort.prototype.postMessage;
  MessagePort.prototype.postMessage = function (message, ...others) {
    self.counts.messages += 1;
    self.counts.bytes += sizeOf(message);
    return post.call(this, message, ...others);
  };
  if ("GPUAdapter" in self) {
    const requestDevice = GPUAdapter.prototype.requestDevice;
    GPUAdapter.prototype.requestDevice = async function (...terms) {
      const device = await requestDevice.apply(this, terms);
      self.devices.push(device);
      return device;
    };
    const mapAsync = GPUBuffer.prototype.mapAsync;
    GPUBuffer.prototype.mapAsync = function (mode, ...others) {
      if (mode === GPUMapMode.READ) self.counts.readBack += others[1] ?? this.size;
      return mapAsync.call(this, mode, ...others);
    };
    const createBuffer = GPUDevice.prototype.createBuffer;
    GPUDevice.prototype.createBuffer = function (descriptor) {
      const buffer = createBuffer.call(this, descriptor);
      if (descriptor.label !== "framebatch") return buffer;
      self.buffers.add(buffer);
      const destroy = buffer.destroy;
      buffer.destroy = () => (self.buffers.delete(buffer), destroy.call(buffer));
      return buffer;
    };
  }
}`;

/** The page's half. */
const PAGE = `
  import { createBatchedModel, createModelGroup, createPipeline } from "/sdk/framebatch.js";
  window.open2 = async (provider, length) => {
    const group = createModelGroup({ executionProviders: [provider] });
    const options = { group, verify: { budgetMs: 600000 } };
    const [first, second] = await Promise.all([1, 2].map(() => createBatchedModel("/models/variable-length.onnx", options)));
    const lanes = {
      linked: createPipeline().stage(first).stage(second, { inputs: { seq: "y" } }),
      unlinked: createPipeline().stage(first).stage(({ y }) => y).stage(second),
    };
    const item = Float32Array.from({ length }, (_, index) => Math.sin(index));
    let failed = 0;
    window.group = group;
    window.run = async (lane, runs, callers) => {
      let left = runs;
      const start = performance.now();
      const call = async () => {
        while (left-- > 0) await lanes[lane].run(item).catch((error) => (failed += 1, console.error(String(error))));
      };
      await Promise.all(Array.from({ length: callers }, call));
      return { ms: (performance.now() - start) / runs, failed };
    };
    const [a, b] = await Promise.all([lanes.linked.run(item), lanes.unlinked.run(item)]);
    return a.y.data.every((value, index) => Object.is(value, b.y.data[index]));
  };
  window.openStates = async (provider) => {
    const open = async (place) => {
      const group = createModelGroup({ executionProviders: [provider], ...place });
      const batchAxis = { input: 0, state: 1, sr: null, output: 0, stateN: 1 };
      const options = { group, recurrent: { state: "stateN" }, batchAxis, verify: { budgetMs: 600000 } };
      return (await createBatchedModel("/models/recurrent.onnx", options)).sequence();
    };
    const sequences = { kept: await open({}), read: await open({ maxKeptBytes: 0 }) };
    const item = { input: new Float32Array(512).fill(0.5), sr: BigInt64Array.of(16000n) };
    window.step = async (lane, steps) => {
      const start = performance.now();
      for (let step = 0; step < steps; step++) await sequences[lane].predict(item);
      return (performance.now() - start) / steps;
    };
  };
  window.isReady = true;
`;

await main(async () => {
  const values = readArguments(USAGE, { options: OPTIONS }, ({ values: given }) => ({
    provider: oneOf("--provider", given.provider, ["webgpu", "wasm"]),
    runs: wholeNumber("--runs", given.runs),
    rounds: wholeNumber("--rounds", given.rounds),
    callers: wholeNumber("--callers", given.callers),
    length: wholeNumber("--length", given.length),
    soak: wholeNumber("--soak", given.soak, { least: 0 }),
    steps: wholeNumber("--steps", given.steps, { least: 0 }),
  }));
  await ensureInstalled();
  const { chromium } = await import("@playwright/test");
  const args = [...SANDBOX_FLAGS, ...(values.provider === "webgpu" ? WEBGPU : [])];
  const browser = await chromium.launch({ args, executablePath: await findChromium() });
  const site = await serve({
    folders: { "/sdk/": path.join(root, "packages/framebatch/dist"), "/models/": path.join(root, "models/dist") },
    intercept: (request, response) => {
      if (request.url !== "/") return false;
      response.setHeader("Content-Type", "text/html");
      response.end(`<!doctype html><script>${COUNTERS}</script><script type="module">${PAGE}</script>`);
      return true;
    },
  });
  try {
    const page = await browser.newPage();
    page.on("console", (message) => console.log("page:", message.text()));
    await page.route("**/framebatch.worker.js", async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: `${COUNTERS}\n${await response.text()}` });
    });
    await page.goto(site.url);
    await page.waitForFunction("window.isReady");
    const { provider, length, runs, rounds, callers } = values;
    const isEqual = await page.evaluate(`open2("${provider}", ${length})`);
    console.log(`${provider}, ${length} numbers, ${callers} callers; equal answers: ${isEqual}`);
    const ratios = [];
    const times = { linked: [], unlinked: [] };
    for (const lane of ["linked", "unlinked"]) await page.evaluate(`run("${lane}", ${callers * 4}, ${callers})`);
    for (const lane of ["linked", "unlinked"]) console.log(lane, await counted(page, lane, runs, callers));
    for (let round = 0; round < rounds; round++) {
      for (const lane of round % 2 === 0 ? ["linked", "unlinked"] : ["unlinked", "linked"])
        times[lane].push((await page.evaluate(`run("${lane}", ${runs}, ${callers})`)).ms);
      ratios.push(times.linked.at(-1) / times.unlinked.at(-1));
    }
    for (const [lane, all] of Object.entries(times)) console.log(`${lane}: ms a run ${shown(all)}`);
    console.log(`linked / unlinked: ${shown(ratios)}`);
    if (values.soak > 0) await soak(page, provider, values.soak);
    if (values.steps > 0) await states(page, provider, values.steps, rounds);
  } finally {
    await browser.close();
    await site.close();
  }
});

/** Counts what a lane sends, for each run. */
async function counted(page, lane, runs, callers) {
  const worker = page.workers().at(-1);
  const reset = "self.counts = { messages: 0, bytes: 0, readBack: 0 }";
  await page.evaluate(reset);
  await worker.evaluate(reset);
  await page.evaluate(`run("${lane}", ${runs}, ${callers})`);
  const [out, back] = [await page.evaluate("counts"), await worker.evaluate("counts")];
  const each = (count) => Math.round((100 * count) / runs) / 100;
  return {
    messages: each(out.messages + back.messages),
    bytesToWorker: each(out.bytes),
    bytesToPage: each(back.bytes),
    bytesFromGpu: each(back.readBack),
  };
}

/** Times steps whose state stays where it is computed, and steps whose state goes through the memory of the worker. */
async function states(page, provider, steps, rounds) {
  await page.evaluate(`openStates("${provider}")`);
  const times = { kept: [], read: [] };
  for (let round = -1; round < rounds; round++) {
    for (const lane of round % 2 === 0 ? ["kept", "read"] : ["read", "kept"]) {
      const ms = await page.evaluate(`step("${lane}", ${steps})`);
      // The first round warms up.
      if (round >= 0) times[lane].push(ms);
    }
  }
  const ratios = times.kept.map((ms, round) => ms / times.read[round]);
  console.log(`state on the device: ms a step ${shown(times.kept)}; through the worker's memory: ${shown(times.read)}`);
  console.log(`on the device / through memory: ${shown(ratios)}`);
}

async function soak(page, provider, runs) {
  const first = await page.evaluate(`run("linked", ${runs / 2}, 32)`);
  const open = page.evaluate(`run("linked", ${runs / 2}, 32)`);
  await page.waitForTimeout(200);
  const worker = page.workers().at(-1);
  if (provider === "webgpu") await worker.evaluate("devices.forEach((device) => device.destroy())");
  else await worker.evaluate("setTimeout(() => { throw new Error('lost on purpose'); })");
  const { failed } = await open;
  await page.waitForTimeout(100);
  const alive = await page.workers().at(-1).evaluate("buffers.size");
  const { keptBytes } = await page.evaluate("group.stats()");
  console.log(
    `${runs} runs, a loss in between: ${failed} failed, ${alive} buffers alive, ${keptBytes} bytes kept (${first.failed} failed before)`,
  );
}

function shown(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  const round = (value) => value?.toPrecision(3);
  return `median ${round(sorted[sorted.length >> 1])} (${round(sorted[0])} to ${round(sorted.at(-1))})`;
}
