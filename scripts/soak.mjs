// The soak test: tests the promises of framebatch in a real browser for about ten minutes.
import path from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { findChromium } from "./chromium.mjs";
import { ensureBuilt, ensureInstalled, main, Problem, root } from "./workspace.mjs";

const USAGE = `Usage: npm run soak -- [options]
  --only NAME    test only this promise: P1, P2 and so on; may be repeated
  --seed NUMBER  seed of the faults, their order and the inputs; default: 1
  --short        a run of less than two minutes, as in npm test: smaller numbers, and no limits on speed
  --json FILE    also write the figures to FILE`;

const OPTIONS = /** @type {const} */ ({
  only: { type: "string", multiple: true, default: [] },
  seed: { type: "string", default: "1" },
  short: { type: "boolean", default: false },
  json: { type: "string" },
  help: { type: "boolean", default: false },
});

await main(async () => {
  const wanted = readArguments();
  if (wanted.help) return console.log(USAGE);
  await ensureInstalled();
  await ensureBuilt();
  const executablePath = await findChromium();
  // A dynamic import, because Vite exists only after the dependencies are installed.
  const { runnerImport } = await import("vite");
  /** @type {{ module: typeof import("../e2e/soak/main.js") }} */
  const { module } = await runnerImport(path.join(root, "e2e/soak/main.ts"), { configFile: false, root });
  checkNames(wanted.only, module.PROMISE_IDS);
  const isKept = await module.runSoak({
    executablePath,
    seed: Number(wanted.seed),
    effort: wanted.short ? "short" : "full",
    only: wanted.only,
    jsonFile: wanted.json === undefined ? undefined : path.resolve(wanted.json),
  });
  if (!isKept) process.exitCode = 1;
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

/** @param {{ seed: string }} values */
function check({ seed }) {
  if (!/^\d{1,9}$/.test(seed)) throw new Problem(`--seed must be a whole number of up to 9 digits, got "${seed}".`);
}

/**
 * @param {readonly string[]} names
 * @param {readonly string[]} known
 */
function checkNames(names, known) {
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Problem(`--only must be one of ${known.join(", ")}, got "${unknown}".`);
}
