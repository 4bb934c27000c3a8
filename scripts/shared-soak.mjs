// The soak test of shared tabs, in Chromium, Firefox or WebKit: tabs close, crash and reload, and their worker ends.
import { readFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { oneOf, readArguments, wholeNumber } from "./arguments.mjs";
import { ENGINES, serveContract } from "./engines/contract.mjs";
import { locate } from "./engines/engine.mjs";
import { ensureBuilt, ensureInstalled, main, root } from "./workspace.mjs";

const NAMES = ENGINES.map(({ name }) => name.toLowerCase());
const USAGE = `Usage: npm run measure soak:tabs -- [options]
  --engine NAME      ${NAMES.join(", ")}; default: all, one after the other
  --requests NUMBER  number of answers in all tabs together; default: 100000
  --faults NUMBER    number of faults; default: one per 20,000 requests, at least 8
  --seed NUMBER      seed of the faults; default: 1`;

await main(async () => {
  const { engines, ...size } = fromArguments();
  await ensureInstalled();
  await ensureBuilt();
  // A dynamic import, because Vite exists only after the dependencies are installed.
  const { runnerImport } = await import("vite");
  /** @type {{ module: typeof import("../e2e/soak/shared-tabs.js") }} */
  const { module } = await runnerImport(path.join(root, "e2e/soak/shared-tabs.ts"), { configFile: false, root });
  for (const engine of engines) await soak(engine, size, module);
});

/**
 * Runs the soak in one engine and reports on the console. An engine that is not installed is skipped.
 *
 * @param {import("./engines/engine.mjs").Engine} engine
 * @param {{ requests: number, faults: number, seed: number }} size
 * @param {typeof import("../e2e/soak/shared-tabs.js")} module
 */
async function soak(engine, size, { soakSharedTabs, WORKER_PREFIX }) {
  const { paths, missing } = await locate(engine);
  if (missing.length > 0) {
    console.log(
      `skipped ${engine.name}: ${missing.join(", ")} not found (on Debian, npm run test:engines installs it)`,
    );
    return;
  }
  const site = await serveContract(workersBeginWith(WORKER_PREFIX));
  const browser = await engine.open(paths);
  const name = `${engine.name} ${browser.version}`;
  try {
    const report = await soakSharedTabs({ browser, site: site.url, ...size });
    console.log(`ok      ${name}: 0 lost, 0 wrong; ${JSON.stringify(report)}`);
  } catch (error) {
    console.log(`FAILED  ${name}: ${error instanceof Error ? error.message : String(error)}`);
    process.exitCode = 1;
  } finally {
    await browser.close();
    await site.close();
  }
}

function fromArguments() {
  const config = /** @type {const} */ ({
    options: {
      engine: { type: "string", multiple: true, default: NAMES },
      requests: { type: "string", default: "100000" },
      faults: { type: "string" },
      seed: { type: "string", default: "1" },
    },
  });
  return readArguments(USAGE, config, ({ values }) => {
    const names = values.engine.map((name) => oneOf("--engine", name, NAMES));
    const requests = wholeNumber("--requests", values.requests);
    const faults = values.faults ?? String(Math.max(8, Math.round(requests / 20_000)));
    return {
      engines: ENGINES.filter(({ name }) => names.includes(name.toLowerCase())),
      requests,
      faults: wholeNumber("--faults", faults, { least: 0 }),
      seed: wholeNumber("--seed", values.seed, { least: 0 }),
    };
  });
}

/**
 * Serves the SDK's worker script with a line before its own.
 *
 * @param {string} prefix
 * @returns {import("./static-server.mjs").StaticSite["intercept"]}
 */
function workersBeginWith(prefix) {
  return (request, response) => {
    const [, name] = /^\/assets\/(framebatch\.worker-[\w-]+\.js)$/.exec(request.url ?? "") ?? [];
    if (name === undefined) return false;
    response.setHeader("Content-Type", "text/javascript; charset=utf-8");
    response.end(prefix + readFileSync(path.join(root, "e2e/dist/site/assets", name), "utf8"));
    return true;
  };
}
