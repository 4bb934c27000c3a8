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
  const plugins =
    change === undefined ? [] : [plant(path.join(root, "packages", "framebatch", "src", change.file), change)];
  const [page, worker] = await Promise.all([
    bundle(root, "src/index.ts", plugins),
    bundle(root, "src/worker/index.ts", plugins),
  ]);
  // The only import that is left is that of ONNX Runtime, at an address that the page sends.
  return { page, worker: worker.replaceAll(/\bimport\((?=[^)]*address)/g, "importScript(") };
}

/** @param {string} root @param {string} entry @param {import("esbuild").Plugin[]} plugins */
async function bundle(root, entry, plugins) {
  const framebatch = path.join(root, "packages", "framebatch");
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
    define: { "import.meta.url": "moduleUrl", FRAMEBATCH_VERSION: '"0.0.0-sim"' },
    plugins,
  });
  return outputFiles[0].text;
}

/**
 * Replaces text in one file, which must hold it once. Does not change the file on disk.
 *
 * @param {string} target
 * @param {import("./build.d.mts").Change} change
 * @returns {import("esbuild").Plugin}
 */
function plant(target, { from, to }) {
  const source = readFileSync(target, "utf8");
  if (source.split(from).length !== 2) throw new Error(`expected this text once in ${target}: ${from}`);
  return {
    name: "planted-bug",
    setup(build) {
      build.onLoad({ filter: /\.ts$/ }, ({ path: loaded }) =>
        loaded === target ? { contents: source.replace(from, () => to), loader: "ts" } : undefined,
      );
    },
  };
}

function esbuild() {
  return createRequire(path.join(ROOT, "packages", "framebatch", "package.json"))("esbuild");
}
