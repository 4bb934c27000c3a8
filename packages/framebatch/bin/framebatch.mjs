#!/usr/bin/env node
// Copies the files that framebatch loads by their address. Usage: npx framebatch copy <folder> [wasm]
import { copyFileSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

/** The files of all entries, and those that `framebatch/wasm` needs. */
const FILES = {
  all: /^(framebatch|ort-wasm)[^/]*\.(js|wasm|bin)$/,
  wasm: /^(framebatch\.worker\.js|framebatch\.ort\.wasm\.js|ort-wasm-simd-threaded\.wasm)$/,
};

const [command, folder, only = "all", ...others] = process.argv.slice(2);
if (command === "copy" && folder !== undefined && (only === "all" || only === "wasm") && others.length === 0)
  copyTo(folder, FILES[only]);
else explain();

/**
 * @param {string} target
 * @param {RegExp} names
 */
function copyTo(target, names) {
  const dist = fileURLToPath(new URL("../dist/", import.meta.url));
  const files = readdirSync(dist).filter((file) => names.test(file));
  mkdirSync(target, { recursive: true });
  for (const file of files) copyFileSync(join(dist, file), join(target, file));
  console.log(`framebatch: copied ${files.length} files to ${target}.
A bundle of ES modules in that folder finds them. Otherwise name the worker by its address on your site:
  createBatchedModel(model, { workerUrl: "/framebatch/framebatch.worker.js" })`);
}

function explain() {
  console.error(`Usage: npx framebatch copy <folder> [wasm]
Copies the worker and ONNX Runtime into a folder of your site, for a bundler that does not copy them (esbuild, Rollup,
Angular) or a page without a bundler. Run it again after each update of framebatch.
With wasm, it copies only what the entry framebatch/wasm needs.`);
  process.exitCode = 1;
}
