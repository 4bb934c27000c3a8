import { copyFileSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { messageOf, Mistake } from "./mistake.mjs";

export const COPY_USAGE = `Usage: npx framebatch copy <folder> [wasm]
Copies the worker and ONNX Runtime into a folder of your site, for a bundler that does not copy them (esbuild, Rollup,
Angular) or a page without a bundler. Run it again after each update of framebatch.
With wasm, it copies only what the entry framebatch/wasm needs.`;

const DIST = fileURLToPath(new URL("../dist/", import.meta.url));

/** The files of all entries, and those that `framebatch/wasm` needs. */
const FILES = {
  all: /^(framebatch|ort-wasm)[^/]*\.(js|wasm|bin)$/,
  wasm: /^(framebatch\.worker\.js|framebatch\.ort\.wasm\.js|ort-wasm-simd-threaded\.wasm)$/,
};

/**
 * Copies the files that framebatch loads by their address.
 *
 * @param {readonly string[]} args
 */
export function copy([folder, only = "all", ...others]) {
  const isNoFolder = folder === undefined || folder === "" || folder.startsWith("-");
  if (isNoFolder || (only !== "all" && only !== "wasm") || others.length > 0) throw new Mistake(COPY_USAGE);
  const files = readdirSync(DIST).filter((file) => FILES[only].test(file));
  copyAll(files, folder);
  console.log(`framebatch: copied ${files.length} files to ${folder}.
A script tag, a module script and a bundle of ES modules find them in their own folder. Otherwise name the worker by its
address on your site:
  createBatchedModel(model, { workerUrl: "/framebatch/framebatch.worker.js" })`);
}

/**
 * Copies files of dist/.
 *
 * @param {readonly string[]} files
 * @param {string} to
 */
export function copyAll(files, to) {
  try {
    mkdirSync(to, { recursive: true });
    for (const file of files) copyFileSync(join(DIST, file), join(to, file));
  } catch (error) {
    throw new Mistake(`${to}: expected a folder that can be written, got none (${messageOf(error)})`);
  }
}
