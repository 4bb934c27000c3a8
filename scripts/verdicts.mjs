import path from "node:path";
import process from "node:process";
import { ISOLATION_HEADERS } from "../apps/bench/isolation-headers.mjs";
import { oneOf, readArguments, wholeNumber } from "./arguments.mjs";
import { REAL_MODELS, serveBench } from "./bench-site.mjs";
import { findChromium } from "./chromium.mjs";
import { serve } from "./static-server.mjs";
import { ensureBuilt, ensureInstalled, main, root } from "./workspace.mjs";

const USAGE = `Usage: npm run measure verdicts -- [--runs N] [MODEL …]
  Compares what the playground says about batching with what the benchmark measures, for these models; default: all.
  --runs N   measures each model N times on the page alone: how long an answer takes, and whether card, details, link,
             race, image and report say the same`;

/** The models of the repository, at the addresses in apps/playground/verdicts/checked-models.ts. */
const MODELS = {
  "/models/": path.join(root, "models/dist"),
  "/digits/": path.join(root, "models/digits"),
  "/languages/": path.join(root, "models/languages"),
};

await main(async () => {
  const { only, runs } = fromArguments();
  await ensureInstalled();
  await checkNames(only);
  await ensureBuilt();
  const executablePath = await findChromium();
  /** @type {typeof import("../apps/playground/verdicts/main.js")} */
  const module = await importVerdicts("main.ts");
  const bench = await serveBench({ folders: MODELS, isIsolated: true });
  // Isolated as the benchmark is, so that both have the same clock and the same way to the worker.
  const folders = { "/": path.join(root, "apps/playground/dist"), ...REAL_MODELS, ...MODELS };
  const playground = await serve({ folders, headers: ISOLATION_HEADERS, lasting: "/assets/" });
  try {
    const { url: playgroundUrl } = playground;
    const command = { executablePath, playgroundUrl, benchUrl: bench.url, only };
    const isRight = runs === null ? await module.checkVerdicts(command) : await module.checkAnswers(command, runs);
    if (!isRight) process.exitCode = 1;
  } finally {
    await bench.close();
    await playground.close();
  }
});

function fromArguments() {
  const config = /** @type {const} */ ({ allowPositionals: true, options: { runs: { type: "string" } } });
  return readArguments(USAGE, config, ({ positionals, values: { runs } }) => ({
    only: positionals,
    runs: runs === undefined ? null : wholeNumber("--runs", runs),
  }));
}

/**
 * Imports a file of the playground. Vite is imported late, because it exists only after the dependencies are installed.
 *
 * @param {string} file
 */
async function importVerdicts(file) {
  const { runnerImport } = await import("vite");
  const { module } = await runnerImport(path.join(root, "apps/playground/verdicts", file), { configFile: false, root });
  return module;
}

/** @param {readonly string[]} names */
async function checkNames(names) {
  /** @type {typeof import("../apps/playground/verdicts/checked-models.js")} */
  const { CHECKED_MODELS } = await importVerdicts("checked-models.ts");
  const known = CHECKED_MODELS.map(({ name }) => name);
  for (const name of names) oneOf("MODEL", name, known);
}
