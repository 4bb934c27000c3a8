// Builds everything that is published into dist/. Usage: node build.mjs
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const root = dirname(fileURLToPath(import.meta.url));
const dist = join(root, "dist");
const require = createRequire(import.meta.url);

/** What the page's half, Comlink included, may weigh minified and gzipped. Only warned of so far: see the printed figure. */
const PAGE_LIMIT_BYTES = 12_000;
const WORKER_EXPRESSION = 'new Worker(new URL("./worker.js", import.meta.url), { type: "module" })';
/** The .mjs serve threads on pages of another origin, where ONNX Runtime cannot start them from the script that it is in. */
const RUNTIME_FILES = ["", ".jspi", ".asyncify"].flatMap((variant) =>
  ["wasm", "mjs"].map((extension) => `ort-wasm-simd-threaded${variant}.${extension}`),
);

const common = {
  absWorkingDir: root,
  bundle: true,
  format: "esm",
  target: "es2022",
  logLevel: "warning",
  legalComments: "none",
};
const packaged = { ...common, packages: "external", charset: "utf8" };
const standalone = { ...common, minify: true };

cleanDist();
await buildPackaged();
await buildStandalone();
copyRuntimeFiles();
await checkPageSize();
buildTypes();
printSizes();

/** Leaves the type checker's memory in place, and what it wrote. */
function cleanDist() {
  mkdirSync(dist, { recursive: true });
  for (const file of readdirSync(dist)) {
    if (/\.(js|mjs|wasm)$/.test(file)) rmSync(join(dist, file));
  }
}

/** For bundlers: dependencies stay imports, and each half is one file whose name the other knows. */
async function buildPackaged() {
  await build({ ...packaged, entryPoints: { index: "src/index.ts" }, outdir: "dist" });
  await build({ ...packaged, entryPoints: { worker: "src/worker/index.ts" }, outdir: "dist" });
  if (!readFileSync(join(dist, "index.js"), "utf8").includes(WORKER_EXPRESSION)) {
    throw new Error(`expected dist/index.js to hold ${WORKER_EXPRESSION}, by which bundlers find the worker`);
  }
}

/** For script tags: everything is bundled in, and ONNX Runtime's builds are chunks of which a worker loads one. */
async function buildStandalone() {
  await build({ ...standalone, entryPoints: { "framebatch.global": "src/global.ts" }, format: "iife", outdir: "dist" });
  await build({ ...standalone, entryPoints: { framebatch: "src/module.ts" }, outdir: "dist" });
  await build({
    ...standalone,
    entryPoints: { "framebatch.worker": "src/worker/index.ts" },
    outdir: "dist",
    splitting: true,
    chunkNames: "framebatch.[name]-[hash]",
    // ONNX Runtime asks for these only in Node.
    external: ["module", "worker_threads", "node:*"],
  });
}

/** Beside the chunks that look for them there. */
function copyRuntimeFiles() {
  for (const file of RUNTIME_FILES) copyFileSync(require.resolve(`onnxruntime-web/${file}`), join(dist, file));
}

async function checkPageSize() {
  const { outputFiles } = await build({
    ...standalone,
    entryPoints: ["src/index.ts"],
    outdir: "dist",
    write: false,
  });
  const bytes = gzipSync(outputFiles[0].contents, { level: 9 }).length;
  console.log(`page half, Comlink included: ${bytes} bytes gzipped (limit ${PAGE_LIMIT_BYTES})`);
  if (bytes > PAGE_LIMIT_BYTES) console.warn(`the page half is ${bytes - PAGE_LIMIT_BYTES} bytes over its limit`);
}

function buildTypes() {
  const tsc = join(dirname(require.resolve("typescript/package.json")), "bin/tsc");
  const { status } = spawnSync(process.execPath, [tsc, "--build", "src", "src/worker"], {
    cwd: root,
    stdio: "inherit",
  });
  if (status === 0) return;
  console.error("the build stopped: the type checker found the errors above");
  process.exit(1);
}

function printSizes() {
  for (const file of readdirSync(dist).filter((name) => /\.(js|mjs|wasm)$/.test(name))) {
    const { size } = statSync(join(dist, file));
    const gzipped = file.endsWith(".js") ? `, ${gzipSync(readFileSync(join(dist, file))).length} gzipped` : "";
    console.log(`dist/${file}: ${size} bytes${gzipped}`);
  }
}
