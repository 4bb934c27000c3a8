// Builds all published files into dist/. Usage: node build.mjs
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Script } from "node:vm";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { writeNotices } from "./build/notices.mjs";
import { packagedFiles } from "./build/packaged.mjs";
import { checkSizes, printSizes } from "./build/sizes.mjs";
import { restoreDeclarations } from "./build/declarations.mjs";

const root = dirname(fileURLToPath(import.meta.url));
const dist = join(root, "dist");
const require = createRequire(import.meta.url);

/** The builds of ONNX Runtime. Each is a script, a file in src/worker/runtimes, and its WebAssembly. */
const RUNTIMES = {
  jspi: "ort-wasm-simd-threaded.jspi.wasm",
  webgpu: "ort-wasm-simd-threaded.asyncify.bin",
  wasm: "ort-wasm-simd-threaded.wasm",
};
/** No larger file is published: Cloudflare Pages accepts none. */
const MAX_FILE_BYTES = 25 * 2 ** 20;
/** The files that bundlers copy: they find each by its name in such an expression. */
const ADDRESS = /new URL\("\.\/([^"]+\.(?:js|wasm|bin))", import\.meta\.url\)/g;

const { version, exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

const common = {
  define: { FRAMEBATCH_VERSION: JSON.stringify(version) },
  absWorkingDir: root,
  outdir: "dist",
  bundle: true,
  target: "es2022",
  logLevel: "warning",
  legalComments: "inline",
  metafile: true,
};
const packaged = { ...common, format: "esm", charset: "utf8", sourcemap: "linked" };
const standalone = { ...common, minify: true };

/** The files that were built into dist, relative to this folder. */
const bundled = new Set();

cleanDist();
await buildPackaged();
await buildCommand();
await buildStandalone();
await buildCopied();
checkCopied();
copyFileSync(require.resolve("@framebatch/models/digits.onnx"), join(dist, "digits.onnx"));
buildForDevelopment();
writeNotices(root, bundled);
await checkSizes(dist);
buildTypes();
printSizes(dist);

/** Removes the bundles, but keeps the type checker's output and its incremental state. */
function cleanDist() {
  mkdirSync(dist, { recursive: true });
  for (const file of readdirSync(dist)) {
    if (/\.(js|mjs|map|wasm|bin)$/.test(file)) rmSync(join(dist, file));
  }
}

/** Builds the modules for bundlers. */
async function buildPackaged() {
  await bundle({ ...packaged, entryPoints: { worker: "src/worker/index.ts" } });
  for (const { path, text } of await packagedFiles(bundle, packaged)) writeFileSync(path, text);
}

/** Builds what the command in `bin` needs of the library. */
async function buildCommand() {
  await bundle({
    ...common,
    entryPoints: { command: "src/cli/index.ts" },
    format: "esm",
    platform: "node",
    outExtension: { ".js": ".mjs" },
  });
}

/** Runs esbuild, and remembers what it has read. */
async function bundle(options) {
  const result = await build(options);
  for (const file of Object.keys(result.metafile.inputs)) bundled.add(file);
  return result;
}

/** Builds the scripts for pages without a bundler. */
async function buildStandalone() {
  const mapped = { ...standalone, sourcemap: "linked" };
  await bundle({ ...mapped, entryPoints: { "framebatch.global": "src/global.ts" }, format: "iife" });
  await bundle({ ...mapped, entryPoints: { framebatch: "src/module.ts" }, format: "esm" });
}

/** Builds the files that are used by their address: the worker, and ONNX Runtime. */
async function buildCopied() {
  await bundle({
    ...standalone,
    format: "iife",
    entryPoints: { "framebatch.worker": "src/worker/script.ts" },
    // Not linked, because bundlers copy the script without its map.
    sourcemap: "external",
  });
  for (const name of Object.keys(RUNTIMES)) await buildRuntime(name);
}

/**
 * Copies the WebAssembly of a build of ONNX Runtime, and builds its script, which knows the size.
 * @param name the name of the build
 */
async function buildRuntime(name) {
  const file = RUNTIMES[name];
  const source = readFileSync(require.resolve(`onnxruntime-web/${file.replace(/\.bin$/, ".wasm")}`));
  const wasm = file.endsWith(".bin") ? gzipSync(source, { level: 9 }) : source;
  writeFileSync(join(dist, file), wasm);
  await bundle({
    ...standalone,
    format: "iife",
    entryPoints: { [`framebatch.ort.${name}`]: `src/worker/runtimes/${name}.ts` },
    define: {
      ...common.define,
      "import.meta.url": "runtimeScriptUrl",
      fetch: "runtimeFetch",
      RUNTIME_WASM_BYTES: String(wasm.length),
    },
    inject: ["src/worker/runtimes/import-meta-url.ts", "src/worker/runtimes/runtime-fetch.ts"],
    // ONNX Runtime imports these only in Node.
    external: ["module", "worker_threads", "node:*"],
  });
}

/** Checks that the modules refer to all files that bundlers must copy, and that those are not modules. */
function checkCopied() {
  const scripts = ["framebatch.worker.js", ...Object.keys(RUNTIMES).map((name) => `framebatch.ort.${name}.js`)];
  const expected = [...scripts, ...Object.values(RUNTIMES)].toSorted();
  const modules = readdirSync(dist).filter((file) => file.endsWith(".js"));
  const texts = modules.map((file) => readFileSync(join(dist, file), "utf8"));
  const named = texts.flatMap((text) => Array.from(text.matchAll(ADDRESS), ([, file = ""]) => file));
  const found = [...new Set(named)].toSorted();
  if (String(found) !== String(expected)) throw new Error(`expected addresses of ${expected}, got those of ${found}`);
  for (const file of expected) checkSize(file);
  for (const file of scripts) checkScript(file);
}

function checkSize(file) {
  const { size } = statSync(join(dist, file));
  if (size > MAX_FILE_BYTES)
    throw new Error(`expected dist/${file} to have at most ${MAX_FILE_BYTES} bytes, got ${size}`);
}

/** Throws a SyntaxError if a file is a module. */
function checkScript(file) {
  return new Script(readFileSync(join(dist, file), "utf8"), { filename: file });
}

/**
 * Writes the entries for development servers. Vite bundles the dependencies of a page into a folder of its own, where a
 * file no longer finds those beside it; before version 8, workers and WebAssembly get lost. It leaves a dependency whose
 * entry ends in .jsx as it is. Other development servers read these files as JavaScript.
 */
function buildForDevelopment() {
  mkdirSync(join(dist, "development"), { recursive: true });
  for (const { default: file } of Object.values(exports)) {
    const name = file && basename(file, ".js");
    if (name) writeFileSync(join(dist, `development/${name}.jsx`), `export * from "../${name}.js";\n`);
  }
}

function buildTypes() {
  restoreDeclarations();
  const tsc = join(dirname(require.resolve("typescript/package.json")), "bin/tsc");
  const { status } = spawnSync(process.execPath, [tsc, "--build", "src", "src/worker", "src/handlers"], {
    cwd: root,
    stdio: "inherit",
  });
  if (status === 0) return;
  console.error("The build failed because of the type errors above.");
  process.exit(1);
}
