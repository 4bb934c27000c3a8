import { existsSync } from "node:fs";
import path from "node:path";
import { performance } from "node:perf_hooks";
import process from "node:process";
import { existing, namedFolder, oneOf, readArguments, wholeNumber } from "./arguments.mjs";
import { serveBench } from "./bench-site.mjs";
import { findChromium } from "./chromium.mjs";
import { ensureInstalled, lastLines, main, pnpm, Problem, root } from "./workspace.mjs";

const BACKENDS = ["wasm", "webgpu"];
const SITES = ["isolated", "ordinary"];

const USAGE = `Usage: npm run bench -- [options]
  --quick              a short run of at most 60 seconds
  --full               more loads and lanes, in less than 20 minutes
  --every              every cell; takes hours
  --peers              compare framebatch with the best alternatives without it, in 25 minutes; WASM unless --backend is set
  --instances          compare one worker with two, in 8 minutes; WASM unless --backend is set
  --ways               compare the default way to run with each way by hand, for five models in about ten minutes
  --engines            compare transformers.js in createBatchedWorker with transformers.js by hand, in two minutes
  --streams            compare sequences of a model with state with workers by hand, for 1 to 64 streams, in five minutes
  --groups             compare six models in a group with one worker by hand: memory and processor time, in two minutes
  --build NAME=FOLDER  compare builds of framebatch, each in a checkout that is built, at least two of them;
                       the first is what the others are compared with; in 12 minutes
  --page               widgets that call framebatch or a peer while the page animates and is typed in, for one model in
                       three minutes; WASM unless --backend is set
  --all                with --ways: all models, in more rounds; with --page: more models, loads and pages, in two hours
  --models LIST        with --ways and --page: these models, by name and separated by commas
  --only TEXT          run only cells whose model/backend/load/lane contains TEXT; with --page: whose load does
  --model FILE_OR_URL  measure this model instead of the benchmark's own models
  --backend NAME       wasm or webgpu; default: both
  --require-hardware   reject a WebGPU adapter that runs in software
  --rounds NUMBER      number of slices of each cell and site; the time limit of the run grows with it
  --pages NUMBER       number of pages that measure each cell on each site
  --site NAME          ordinary or isolated (cross-origin); default: both with --full, --every, --peers,
                       --instances, --ways and --page, ordinary with --streams and --groups, otherwise isolated
  --seed NUMBER        seed of the inputs and of the order of lanes; default: 1
  --json FILE          also write the results as JSON to FILE
  --compare OLD.json   report differences from that run that are larger than noise`;

const OPTIONS = /** @type {const} */ ({
  quick: { type: "boolean", default: false },
  full: { type: "boolean", default: false },
  every: { type: "boolean", default: false },
  peers: { type: "boolean", default: false },
  instances: { type: "boolean", default: false },
  ways: { type: "boolean", default: false },
  engines: { type: "boolean", default: false },
  streams: { type: "boolean", default: false },
  groups: { type: "boolean", default: false },
  build: { type: "string", multiple: true, default: [] },
  page: { type: "boolean", default: false },
  all: { type: "boolean", default: false },
  models: { type: "string" },
  compare: { type: "string" },
  only: { type: "string", default: "" },
  model: { type: "string" },
  backend: { type: "string" },
  "require-hardware": { type: "boolean", default: false },
  rounds: { type: "string" },
  pages: { type: "string" },
  site: { type: "string" },
  seed: { type: "string", default: "1" },
  json: { type: "string" },
});

await main(async () => {
  const { wanted, model, builds } = fromArguments();
  await ensureInstalled();
  await buildBench();
  const executablePath = await findChromium();
  let servedBytes = 0;
  const siteOf = (/** @type {boolean} */ isIsolated) =>
    serveBench({
      folders: { ...model.folders, ...builds.folders, "/hub/": path.join(root, "models/dist") },
      isIsolated,
      intercept: (_, response) => {
        response.once("finish", () => (servedBytes += Number(response.getHeader("Content-Length") ?? 0)));
        return false;
      },
    });
  const [isolated, ordinary] = [await siteOf(true), await siteOf(false)];
  try {
    const urls = { isolated: isolated.url, ordinary: ordinary.url };
    if (!(await measure(wanted, { ownModel: model.spec, executablePath, urls, servedBytes: () => servedBytes })))
      process.exitCode = 1;
  } finally {
    await isolated.close();
    await ordinary.close();
  }
});

/**
 * @typedef {Pick<import("../apps/bench/runner/main.js").BenchCommand, "ownModel" | "executablePath" | "urls" | "servedBytes">} Place
 *
 * Runs the mode that the arguments name. Returns whether everything was measured.
 *
 * @param {ReturnType<typeof fromArguments>["wanted"]} wanted
 * @param {Place} page
 */
function measure(wanted, page) {
  if (wanted.engines) return compareEngines(wanted, page.executablePath, page.urls.ordinary);
  if (wanted.streams) return compareStreams(wanted, page);
  if (wanted.groups) return compareGroups(wanted, page);
  if (wanted.ways) return compareWays(wanted, page);
  return wanted.page ? measurePage(wanted, page) : runBenchmark(wanted, page);
}

/**
 * @param {ReturnType<typeof fromArguments>["wanted"]} wanted
 * @param {Place} page
 */
async function runBenchmark(wanted, page) {
  /** @type {typeof import("../apps/bench/runner/main.js")} */
  const runner = await importRunner("main.ts");
  return runner.runBenchmark({ ...commandFrom(wanted), ...page });
}

/**
 * @param {ReturnType<typeof fromArguments>["wanted"]} wanted
 * @param {Place} page
 */
async function compareWays(wanted, page) {
  /** @type {typeof import("../apps/bench/runner/ways/main.js")} */
  const runner = await importRunner("ways/main.ts");
  return runner.runWays(ofModelsAndSites(wanted, page));
}

/**
 * @param {ReturnType<typeof fromArguments>["wanted"]} wanted
 * @param {Place} page
 */
async function measurePage(wanted, page) {
  /** @type {typeof import("../apps/bench/runner/page/main.js")} */
  const runner = await importRunner("page/main.ts");
  return runner.runPageSuite(ofModelsAndSites(wanted, page));
}

/**
 * @param {ReturnType<typeof fromArguments>["wanted"]} wanted
 * @param {Place} page
 */
function ofModelsAndSites(wanted, { executablePath, urls }) {
  const { site, ...shared } = commandFrom(wanted);
  const models = wanted.models?.split(",");
  return { ...shared, executablePath, urls, isComplete: wanted.all, models, sites: site ? [site] : SITES };
}

/**
 * @param {ReturnType<typeof fromArguments>["wanted"]} wanted
 * @param {string} executablePath
 * @param {string} url
 */
async function compareEngines(wanted, executablePath, url) {
  /** @type {typeof import("../apps/bench/runner/engines/main.js")} */
  const runner = await importRunner("engines/main.ts");
  return runner.runEngines({ ...commandFrom(wanted), executablePath, url });
}

/**
 * @param {ReturnType<typeof fromArguments>["wanted"]} wanted
 * @param {Place} page
 */
async function compareStreams(wanted, page) {
  /** @type {typeof import("../apps/bench/runner/streams/main.js")} */
  const runner = await importRunner("streams/main.ts");
  return runner.runStreams(onOrdinarySite(wanted, page));
}

/**
 * @param {ReturnType<typeof fromArguments>["wanted"]} wanted
 * @param {Place} page
 */
async function compareGroups(wanted, page) {
  /** @type {typeof import("../apps/bench/runner/groups/main.js")} */
  const runner = await importRunner("groups/main.ts");
  return runner.runGroups(onOrdinarySite(wanted, page));
}

/**
 * @param {ReturnType<typeof fromArguments>["wanted"]} wanted
 * @param {Place} page
 */
function onOrdinarySite(wanted, { executablePath, urls }) {
  const { site = "ordinary", ...shared } = commandFrom(wanted);
  return { ...shared, executablePath, urls, sites: [site] };
}

/**
 * Imports a file of the runner. Vite is imported late, because it exists only after the dependencies are installed.
 *
 * @param {string} file
 */
async function importRunner(file) {
  const { runnerImport } = await import("vite");
  const { module } = await runnerImport(path.join(root, "apps/bench/runner", file), { configFile: false, root });
  return module;
}

/** Reads the arguments, and finds the files that they name. */
function fromArguments() {
  return readArguments(USAGE, { options: OPTIONS }, ({ values }) => {
    check(values);
    return { wanted: values, model: ownModel(values.model), builds: buildsOf(values.build) };
  });
}

/**
 * @param {{ backend?: string, site?: string, seed: string, rounds?: string, pages?: string, quick: boolean, full: boolean, every: boolean, peers:
 * boolean, instances: boolean, build: string[], ways: boolean, engines: boolean, streams: boolean, groups: boolean, page: boolean, all: boolean, models?: string, only: string, model?: string, compare?: string }} values
 */
function check({
  backend,
  site,
  seed,
  rounds,
  pages,
  quick,
  full,
  every,
  peers,
  instances,
  ways,
  engines,
  streams,
  groups,
  page,
  build,
  ...rest
}) {
  const isOfBuilds = build.length > 0;
  if (isOfBuilds && build.length < 2) throw new Problem("--build must be given at least twice.");
  if (
    [quick, full, every, peers, instances, ways, engines, streams, groups, page, isOfBuilds].filter(Boolean).length > 1
  )
    throw new Problem(
      "--quick, --full, --every, --peers, --instances, --ways, --engines, --streams, --groups, --build and --page exclude one another. Pass only one of them.",
    );
  if (!ways && !page && (rest.all || rest.models !== undefined))
    throw new Problem("--all and --models need --ways or --page.");
  if (page && (rest.model !== undefined || rest.compare !== undefined || rounds !== undefined))
    throw new Problem("--page takes --models and --pages, and neither --model, --compare nor --rounds.");
  if (ways && (rest.only !== "" || rest.model !== undefined || rest.compare !== undefined))
    throw new Problem("--ways takes --models, and neither --only, --model nor --compare.");
  if (backend !== undefined) oneOf("--backend", backend, BACKENDS);
  if (site !== undefined) oneOf("--site", site, SITES);
  wholeNumber("--seed", seed, { least: 0, most: 999_999_999 });
  if (rounds !== undefined) wholeNumber("--rounds", rounds, { most: 9999 });
  if (pages !== undefined) wholeNumber("--pages", pages, { most: 99 });
  if (rest.compare !== undefined) existing("--compare", rest.compare);
}

/** @param {ReturnType<typeof fromArguments>["wanted"]} values */
function commandFrom(values) {
  const typed = process.argv.slice(2);
  return {
    backends: backendsOf(values),
    thoroughness: thoroughnessOf(values),
    requireHardware: values["require-hardware"],
    only: values.only,
    seed: Number(values.seed),
    rounds: values.rounds === undefined ? undefined : Number(values.rounds),
    pages: values.pages === undefined ? undefined : Number(values.pages),
    site: values.site,
    command: ["npm run bench", ...(typed.length > 0 ? ["--", ...typed] : [])].join(" "),
    resultsFolder: path.join(root, "bench-results"),
    compareFile: values.compare === undefined ? undefined : path.resolve(values.compare),
    jsonFile: values.json === undefined ? undefined : path.resolve(values.json),
    builds: buildsOf(values.build).names,
    elapsedMs: () => performance.now(),
  };
}

/** @param {ReturnType<typeof fromArguments>["wanted"]} values */
function backendsOf({ backend, peers, instances, page, build }) {
  if (backend !== undefined) return [backend];
  return peers || instances || page || build.length > 0 ? ["wasm"] : BACKENDS;
}

/** @param {{ quick: boolean, full: boolean, every: boolean, peers: boolean, instances: boolean, build: string[] }} values */
function thoroughnessOf({ quick, full, every, peers, instances, build }) {
  if (build.length > 0) return "builds";
  if (quick) return "quick";
  if (peers) return "peers";
  if (instances) return "instances";
  if (every) return "every";
  return full ? "full" : "standard";
}

/**
 * Returns the model of `--model`. This server serves a file; the page fetches a URL itself.
 *
 * @param {string | undefined} model
 */
function ownModel(model) {
  if (model === undefined) return { spec: null, folders: {} };
  const name = path.basename(model, ".onnx");
  if (/^https?:/.test(model)) return { spec: { name, url: model }, folders: {} };
  const file = path.resolve(existing("--model", model));
  const folder = "/own-model/";
  return {
    spec: { name, url: folder + encodeURIComponent(path.basename(file)) },
    folders: { [folder]: path.dirname(file) },
  };
}

/**
 * Returns the folders of the builds that `--build` names, by the address from which the page imports them.
 *
 * @param {readonly string[]} builds as typed
 */
function buildsOf(builds) {
  const found = builds.map((build) => {
    const { name, folder } = namedFolder("--build", build);
    const dist = path.resolve(folder, "packages/framebatch/dist");
    if (!existsSync(path.join(dist, "framebatch.js")))
      throw new Problem(`--build ${name}: ${folder} has no built packages/framebatch/dist. Run npm run build there.`);
    return { name, address: `/builds/${name}/`, dist };
  });
  return {
    names: found.map(({ name }) => name),
    folders: Object.fromEntries(found.map(({ address, dist }) => [address, dist])),
  };
}

/** Builds the benchmark page and the packages that it depends on, without the playground. */
async function buildBench() {
  console.error("Building …");
  const { code, output } = await pnpm(["--filter", "@framebatch/bench...", "run", "build"], { quiet: true });
  if (code !== 0) throw new Problem(`The build failed. The end of its output:\n${lastLines(output, 40)}`);
}
