import path from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { ISOLATION_HEADERS } from "../apps/bench/isolation-headers.mjs";
import { REAL_MODELS, serveBench } from "./bench-site.mjs";
import { findChromium } from "./chromium.mjs";
import { serve } from "./static-server.mjs";
import { ensureBuilt, ensureInstalled, main, Problem, root } from "./workspace.mjs";

const USAGE = `Usage: npm run verdicts -- [--runs N] [MODEL …]
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
  await ensureBuilt();
  const executablePath = await findChromium();
  // A dynamic import, because Vite exists only after the dependencies are installed.
  const { runnerImport } = await import("vite");
  /** @type {{ module: typeof import("../apps/playground/verdicts/main.js") }} */
  const { module } = await runnerImport(path.join(root, "apps/playground/verdicts/main.ts"), {
    configFile: false,
    root,
  });
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
  try {
    const { positionals, values } = parseArgs({ allowPositionals: true, options: { runs: { type: "string" } } });
    return { only: positionals, runs: values.runs === undefined ? null : toCount(values.runs) };
  } catch (error) {
    throw new Problem(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`);
  }
}

/** @param {string} text */
function toCount(text) {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1) throw new RangeError(`--runs: expected a number from 1, got ${text}`);
  return count;
}
