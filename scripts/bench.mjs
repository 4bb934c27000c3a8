import { existsSync } from "node:fs";
import path from "node:path";
import { performance } from "node:perf_hooks";
import process from "node:process";
import { existing, namedFolder, readArguments } from "./arguments.mjs";
import { BACKENDS, checkArguments, OPTIONS, SITES, USAGE } from "./bench-arguments.mjs";
import { generatedModels, serveBench } from "./bench-site.mjs";
import { findChromium } from "./chromium.mjs";
import { ensureInstalled, lastLines, main, pnpm, Problem, root } from "./workspace.mjs";

await main(async () => {
  const { wanted, model, builds } = fromArguments();
  await ensureInstalled();
  await buildBench();
  const executablePath = await findChromium();
  let servedBytes = 0;
  const sendGenerated = generatedModels();
  const siteOf = (/** @type {boolean} */ isIsolated) =>
    serveBench({
      folders: { ...model.folders, ...builds.folders, "/hub/": path.join(root, "models/dist") },
      isIsolated,
      intercept: (request, response) => {
        response.once("finish", () => (servedBytes += Number(response.getHeader("Content-Length") ?? 0)));
        return sendGenerated(request, response);
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
  if (wanted.texts) return compareTexts(wanted, page);
  if (wanted.ledger) return keepLedger(wanted, page);
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
async function keepLedger(wanted, page) {
  /** @type {typeof import("../apps/bench/runner/ledger/main.js")} */
  const runner = await importRunner("ledger/main.ts");
  return runner.runLedger(ofModelsAndSites(wanted, page));
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
async function compareTexts(wanted, page) {
  /** @type {typeof import("../apps/bench/runner/texts/main.js")} */
  const runner = await importRunner("texts/main.ts");
  return runner.runTexts(onOrdinarySite(wanted, page));
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
    checkArguments(values);
    return { wanted: values, model: ownModel(values.model), builds: buildsOf(values.build) };
  });
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
  const names = found.map(({ name }) => name);
  if (new Set(names).size < names.length)
    throw new Problem(`--build: expected a different name for each build, got ${names.join(", ")}.`);
  return {
    names,
    folders: Object.fromEntries(found.map(({ address, dist }) => [address, dist])),
  };
}

/** Builds the benchmark page and the packages that it depends on, without the playground. */
async function buildBench() {
  console.error("Building …");
  const { code, output } = await pnpm(["--filter", "@framebatch/bench...", "run", "build"], { quiet: true });
  if (code !== 0) throw new Problem(`The build failed. The end of its output:\n${lastLines(output, 40)}`);
}
