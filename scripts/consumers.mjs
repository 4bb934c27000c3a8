// Packs framebatch, installs it in fresh applications, builds and serves them, and predicts in Chromium.
import { mkdtemp, realpath, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import process from "node:process";
import { existing, oneOf, readArguments } from "./arguments.mjs";
import { findChromium } from "./chromium.mjs";
import { Browsers } from "./consumers/browsers.mjs";
import { openCdn } from "./consumers/cdn.mjs";
import { referenceLogits } from "./consumers/reference.mjs";
import { isPassed, table } from "./consumers/report.mjs";
import { runConsumer, step } from "./consumers/rows.mjs";
import { CONSUMERS } from "./consumers/table.mjs";
import { pack, tarballIn } from "./consumers/tarball.mjs";
import { VISITS, WASM_VISITS } from "./consumers/visit.mjs";
import { ensureBuilt, ensureInstalled, main, since } from "./workspace.mjs";

const AT_ONCE = 2;
const USAGE = `Usage: npm run test:consumers [-- --only NAME[,NAME]] [-- --quick [--packed FOLDER]]
  --only NAME      runs some consumers: ${CONSUMERS.map(({ name }) => name).join(", ")}
  --quick          runs what npm test runs: the built applications of four consumers, with the tools of this
                   repository, on WebAssembly; expects a build
  --packed FOLDER  where the packed package lies; without it, packs framebatch`;

await main(async () => {
  const startedAtMs = performance.now();
  const { wanted, isQuick, packed } = fromArguments();
  if (!isQuick) {
    await ensureInstalled();
    await ensureBuilt();
  }
  const rows = await withKit({ isQuick, packed }, (kit) => runAll(wanted, kit));
  console.log(`\n${table(rows)}`);
  const failed = rows.filter((row) => !isPassed(row)).length;
  console.log(`\n${rows.length - failed} passed, ${failed} failed in ${since(startedAtMs)}`);
  process.exitCode = failed > 0 ? 1 : 0;
});

function fromArguments() {
  const options = /** @type {const} */ ({
    only: { type: "string" },
    quick: { type: "boolean", default: false },
    packed: { type: "string" },
  });
  return readArguments(USAGE, { options }, ({ values: { only, quick: isQuick, packed } }) => ({
    wanted: chosen(only, isQuick),
    isQuick,
    packed: packed === undefined ? undefined : existing("--packed", packed),
  }));
}

/**
 * @param {string | undefined} only names, separated by commas
 * @param {boolean} isQuick
 */
function chosen(only, isQuick) {
  const known = CONSUMERS.map(({ name }) => name);
  const names = only?.split(",").map((name) => oneOf("--only", name, known));
  return CONSUMERS.filter(({ name, isQuick: own = false }) => names?.includes(name) ?? (own || !isQuick));
}

/**
 * Packs, opens the browsers, and cleans up after `action`.
 *
 * @template T
 * @param {{ isQuick: boolean, packed: string | undefined }} options
 * @param {(kit: import("./consumers/rows.mjs").Kit) => Promise<T>} action
 * @returns {Promise<T>}
 */
async function withKit({ isQuick, packed }, action) {
  // The real path: on macOS, the temporary folder is behind a link, which some bundlers do not follow.
  const folder = await realpath(await mkdtemp(path.join(os.tmpdir(), "framebatch-consumers-")));
  const cdn = await openCdn();
  const browsers = new Browsers(await findChromium(), cdn.port);
  try {
    const tarball = packed === undefined ? await step("framebatch", "pack", () => pack(folder)) : tarballIn(packed);
    return await action({
      folder,
      tarball,
      visits: isQuick ? WASM_VISITS : VISITS,
      browsers,
      cdn,
      expected: await referenceLogits(),
      isQuick,
    });
  } finally {
    await browsers.close();
    await cdn.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Runs consumers, some at the same time.
 *
 * @param {readonly import("./consumers/table.mjs").Consumer[]} consumers
 * @param {import("./consumers/rows.mjs").Kit} kit
 */
async function runAll(consumers, kit) {
  const waiting = [...consumers.entries()];
  /** @type {import("./consumers/rows.mjs").Row[]} */
  const rows = [];
  const lane = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, consumer] = next;
      rows[index] = await runConsumer(consumer, kit);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return rows;
}
