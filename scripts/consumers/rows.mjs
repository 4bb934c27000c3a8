import { readdir, rm, stat } from "node:fs/promises";
import path from "node:path";
import { stripVTControlCharacters } from "node:util";
import { serve } from "../static-server.mjs";
import { Problem, root, since } from "../workspace.mjs";
import { createApp, installApp, linkApp } from "./app.mjs";
import { runInApp, startInApp } from "./server.mjs";
import { visitPage } from "./visit.mjs";

/** @typedef {import("./table.mjs").Consumer} Consumer */

const DIST = path.join(root, "packages/framebatch/dist");

/**
 * What the rows share.
 *
 * @typedef {object} Kit
 * @property {string} folder Where applications are made.
 * @property {string} tarball
 * @property {readonly import("./visit.mjs").Visit[]} visits
 * @property {import("./browsers.mjs").Browsers} browsers
 * @property {Pick<Awaited<ReturnType<typeof import("./cdn.mjs").openCdn>>, "loadedBytes">} cdn
 * @property {readonly number[]} expected The logits that every page must show.
 * @property {boolean} isQuick Whether to link installed tools instead of installing, and to skip development servers.
 */

/**
 * A row of the report. Texts are "pass", "–" for what the consumer does not have, or what failed, in one line.
 *
 * @typedef {object} Row
 * @property {string} title
 * @property {string} dev
 * @property {string} build
 * @property {string} configuration
 * @property {number | null} emittedBytes
 * @property {number | null} largestBytes The size of the largest file.
 * @property {Readonly<Record<string, number>>} loadedBytes What a visitor loads, by execution provider.
 */

/**
 * Installs, runs, builds and visits one consumer, and removes its files.
 *
 * @param {Consumer} consumer
 * @param {Kit} kit
 * @returns {Promise<Row>}
 */
export async function runConsumer(consumer, kit) {
  const { name, title, configuration, dev, checks } = consumer;
  /** @type {Row} */
  const row = { title, configuration, dev: "–", build: "–", emittedBytes: null, largestBytes: null, loadedBytes: {} };
  try {
    const app = await step(name, "install", async () => {
      const made = await createApp(consumer, kit.folder);
      await (kit.isQuick ? linkApp : installApp)(made, kit.tarball);
      if (consumer.prepare !== undefined) await runInApp(made, consumer.prepare);
      return made;
    });
    if (dev !== undefined && !kit.isQuick) row.dev = await verdict(() => visitDevServer(consumer, dev, app, kit));
    row.build = await verdict(async () => {
      if (checks === undefined) Object.assign(row, await buildAndVisit(consumer, app, kit));
      else await runChecks(name, checks, app, kit);
    });
  } catch (error) {
    row.build = oneLine(error);
  } finally {
    await rm(path.join(kit.folder, name), { recursive: true, force: true });
  }
  return row;
}

/**
 * @param {string} name
 * @param {readonly string[]} checks
 * @param {string} app
 * @param {Kit} kit
 */
async function runChecks(name, checks, app, { tarball }) {
  for (const check of checks) {
    await step(name, check, () => runInApp(app, check.replace("{tarball}", tarball)));
  }
}

/**
 * @param {Consumer} consumer
 * @param {string} app
 * @param {Kit} kit
 */
async function buildAndVisit(consumer, app, kit) {
  const { name } = consumer;
  const build = (kit.isQuick ? consumer.quickBuild : undefined) ?? consumer.build;
  if (build !== undefined) await step(name, "build", () => runInApp(app, build));
  await checkShipped(consumer, app);
  return { ...(await weigh(consumer, app)), loadedBytes: await visitBuild(consumer, app, kit) };
}

/**
 * @param {Consumer} consumer
 * @param {string} command
 * @param {string} app
 * @param {Kit} kit
 */
async function visitDevServer(consumer, command, app, kit) {
  const server = await step(consumer.name, "dev server", () => startInApp(app, command));
  try {
    await visitAll(consumer, "dev", server.port, kit);
  } finally {
    server.stop();
  }
}

/**
 * @param {Consumer} consumer
 * @param {string} app
 * @param {Kit} kit
 */
async function visitBuild(consumer, app, kit) {
  const { start, site, output = ["dist"] } = consumer;
  if (start !== undefined) {
    const server = await startInApp(app, start);
    try {
      return await visitAll(consumer, "build", server.port, kit);
    } finally {
      server.stop();
    }
  }
  const server = await serve({ folders: { "/": path.join(app, site ?? output[0] ?? ".") } });
  try {
    return await visitAll(consumer, "build", server.port, kit);
  } finally {
    await server.close();
  }
}

/**
 * Visits a page in every way.
 *
 * @param {Consumer} consumer
 * @param {string} what
 * @param {number} port
 * @param {Kit} kit
 * @returns {Promise<Record<string, number>>} the bytes loaded by the pages that are not isolated
 */
async function visitAll({ name, answer, provider }, what, port, kit) {
  /** @type {Record<string, number>} */
  const loaded = {};
  for (const visit of kit.visits) {
    const way = `${visit.provider}${visit.isIsolated ? ", isolated, two threads" : ""}`;
    const { fault, loadedBytes } = await step(name, `${what}: ${way}`, () =>
      visitPage(kit, port, visit, answer === undefined ? { provider: provider ?? visit.provider } : { answer }),
    );
    if (fault !== null) throw new Problem(`${way}: ${fault}`);
    if (!visit.isIsolated) loaded[visit.provider] = loadedBytes;
  }
  return loaded;
}

/**
 * @param {Consumer} consumer
 * @param {string} app
 */
async function weigh({ output = ["dist"] }, app) {
  const sizes = (await Promise.all(output.map((folder) => sizesIn(path.join(app, folder))))).flat();
  if (sizes.length === 0) return { emittedBytes: null, largestBytes: null };
  return { emittedBytes: sizes.reduce((sum, size) => sum + size, 0), largestBytes: Math.max(...sizes) };
}

/**
 * Throws if a build has not emitted the builds of ONNX Runtime that it must, or has emitted others. Bundlers give files
 * other names, so each is known by its size.
 *
 * @param {Consumer} consumer
 * @param {string} app
 */
async function checkShipped({ ships, output = ["dist"] }, app) {
  if (ships === undefined) return;
  const emitted = new Set((await Promise.all(output.map((folder) => sizesIn(path.join(app, folder))))).flat());
  const runtimes = (await readdir(DIST)).filter((file) => file.startsWith("ort-wasm"));
  /** @type {string[]} */
  const found = [];
  for (const file of runtimes) if (emitted.has((await stat(path.join(DIST, file))).size)) found.push(file);
  if (String(found) !== String(ships))
    throw new Problem(`expected ${ships.join(" ") || "no runtime"}, got ${found.join(" ") || "none"}`);
}

/** @param {string} folder */
async function sizesIn(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return Promise.all(files.map(async ({ parentPath, name }) => (await stat(path.join(parentPath, name))).size));
}

/**
 * Runs one step, and prints a line with its time.
 *
 * @template T
 * @param {string} name
 * @param {string} what
 * @param {() => Promise<T>} action
 * @returns {Promise<T>}
 */
export async function step(name, what, action) {
  const startedAtMs = performance.now();
  const tell = (/** @type {string} */ how) =>
    console.log(`${name.padEnd(16)} ${what.padEnd(36)} ${since(startedAtMs).padStart(8)}${how}`);
  try {
    const result = await action();
    const isFault = typeof result === "object" && result !== null && "fault" in result && result.fault !== null;
    tell(isFault ? `  ${oneLine(result.fault)}` : "");
    return result;
  } catch (error) {
    tell("  failed");
    throw error;
  }
}

/**
 * @param {() => Promise<void>} action
 * @returns {Promise<string>} "pass", or the reason in one line
 */
export async function verdict(action) {
  try {
    await action();
    return "pass";
  } catch (error) {
    return oneLine(error);
  }
}

/** @param {unknown} error */
function oneLine(error) {
  const message = error instanceof Error ? error.message : String(error);
  const text = stripVTControlCharacters(message).replaceAll(/\s+/g, " ");
  return text.length > 300 ? `${text.slice(0, 300)} …` : text;
}
