// Bundles the two halves of framebatch for the simulation, and the simulation itself.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));
const ROOT = path.join(here, "..", "..");

/**
 * Bundles both halves of framebatch, with all dynamic imports inside.
 *
 * @param {string} [root] the checkout of framebatch
 * @param {import("./build.d.mts").Change} [change] a planted bug
 */
export async function bundleHalves(root = ROOT, change) {
  const [page, worker] = await Promise.all([
    bundle(root, "src/index.ts", change),
    bundle(root, "src/worker/index.ts", change),
  ]);
  // The only import that is left is that of ONNX Runtime, at an address that the page sends.
  return { page, worker: worker.replaceAll(/\bimport\((?=[^)]*address)/g, "importScript(") };
}

/** Names whose values differ between the lives of a realm: they are read from its scope each time. */
const OF_LIVES = { crossOriginIsolated: "globalThis.crossOriginIsolated" };

/** @param {string} root @param {string} entry @param {import("./build.d.mts").Change} [change] */
async function bundle(root, entry, change) {
  const framebatch = path.join(root, "packages", "framebatch");
  const target = change === undefined ? "" : path.join(root, "packages", change.file);
  const { outputFiles } = await esbuild().build({
    absWorkingDir: framebatch,
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: "iife",
    globalName: "exported",
    platform: "browser",
    target: "es2022",
    charset: "utf8",
    logLevel: "warning",
    define: { "import.meta.url": "moduleUrl", FRAMEBATCH_VERSION: '"0.0.0-sim"', ...OF_LIVES },
    plugins: [loadSources(path.join(root, "packages"), (file, text) => (file === target ? plant(text, change) : text))],
  });
  return outputFiles[0].text;
}

/**
 * Changes the sources of framebatch while they are bundled. The files on disk stay.
 *
 * @param {string} folder
 * @param {(file: string, text: string) => string} edit
 * @returns {import("esbuild").Plugin}
 */
function loadSources(folder, edit) {
  return {
    name: "sources",
    setup(build) {
      build.onLoad({ filter: /\.ts$/ }, ({ path: file }) =>
        file.startsWith(folder) && !file.includes("node_modules")
          ? { contents: renewState(edit(file, readFileSync(file, "utf8"))), loader: "ts" }
          : undefined,
      );
    },
  };
}

/**
 * Plants a bug: replaces text that a file must hold once.
 *
 * @param {string} source
 * @param {import("./build.d.mts").Change} change
 */
function plant(source, { file, from, to }) {
  if (source.split(from).length !== 2) throw new Error(`expected this text once in ${file}: ${from}`);
  return source.replace(from, () => to);
}

/** A variable of a module, with its first value: a number or `null` if it may change, or an object without content. */
const STATE =
  /^(export )?(let|const) (\w+)(: .+)? = (\[\]|\{\}|new \w+(?:<.+>)?\(\)|(?<=let .*)(?:null|true|false|\d+));$/gm;
/** What a module does when it is loaded. */
const CALL = /^\w+\(\);$/gm;

/**
 * Modules are evaluated once, because that takes a millisecond and leaves their code cold. Their variables and what they do at
 * once begin anew in each life: the realm calls what `onNewLife` gets.
 *
 * @param {string} text
 */
function renewState(text) {
  return text
    .replaceAll(
      STATE,
      (_, exported = "", __, name, type = "", value) =>
        `${exported}let ${name}${type} = ${value}; onNewLife(() => { ${name} = ${value}; });`,
    )
    .replaceAll(CALL, (call) => `onNewLife(() => ${call.slice(0, -1)});`);
}

function esbuild() {
  return createRequire(path.join(ROOT, "packages", "framebatch", "package.json"))("esbuild");
}
