// Builds everything that is published into dist/. Usage: node build.mjs
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const root = dirname(fileURLToPath(import.meta.url));
const dist = join(root, "dist");
const require = createRequire(import.meta.url);

/**
 * What a page may weigh, in bytes, minified and gzipped, Comlink included. The build fails beyond.
 * - `atOnce`: what `import { createBatchedModel }` makes every visitor load before a model is asked for.
 * - `inAll`: that, and what the first model brings to the page. The figure of the day it was set, and 3 %.
 */
const PAGE_LIMITS = { atOnce: 1_700, inAll: 43_400 };
const WORKER_EXPRESSION = 'new Worker(new URL("./worker.js", import.meta.url), { type: "module" })';
/** The .mjs serve threads on pages of another origin, where ONNX Runtime cannot start them from the script that it is in. */
const RUNTIME_FILES = ["", ".jspi", ".asyncify"].flatMap((variant) =>
  ["wasm", "mjs"].map((extension) => `ort-wasm-simd-threaded${variant}.${extension}`),
);

const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

const common = {
  define: { FRAMEBATCH_VERSION: JSON.stringify(version) },
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

/** For bundlers: dependencies stay imports, and the worker is one file, whose name the page's half knows. */
async function buildPackaged() {
  await build({ ...packaged, entryPoints: { worker: "src/worker/index.ts" }, outdir: "dist" });
  const { metafile, outputFiles } = await build({
    ...packaged,
    // Bundlers keep or drop whole files. Naming the parts that a page may want without the others keeps these apart.
    entryPoints: {
      index: "src/index.ts",
      batched: "src/client/functions/batched.ts",
      model: "src/client/api/packaged.ts",
      cache: "src/client/api/cached-model.ts",
    },
    outdir: "dist",
    splitting: true,
    metafile: true,
    write: false,
  });
  const needed = reachable(metafile, "dist/index.js");
  const files = outputFiles.filter(({ path }) => needed.has(`dist/${basename(path)}`));
  for (const { path, contents } of files) writeFileSync(path, contents);
  if (!files.some(({ text }) => text.includes(WORKER_EXPRESSION))) {
    throw new Error(`expected a file of dist to hold ${WORKER_EXPRESSION}, by which bundlers find the worker`);
  }
}

/** The files of a build that `entry` imports, now or later, and itself. */
function reachable({ outputs }, entry) {
  const found = new Set([entry]);
  for (const file of found) {
    for (const { path } of outputs[file]?.imports ?? []) found.add(path);
  }
  return found;
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

/** Weighs what applications make of dist. Code that is loaded on demand is a file of its own there. */
async function checkPageSize() {
  const modelCode = readdirSync(dist).find((file) => file.startsWith("create-batched-model-"));
  const figures = {
    atOnce: await weigh("createBatchedModel", { external: [`./${modelCode}`] }),
    inAll: await weigh("createBatchedModel"),
  };
  const batchedAlone = await weigh("batched");
  console.log(`import { createBatchedModel }: ${figures.atOnce} bytes gzipped at once (limit ${PAGE_LIMITS.atOnce})`);
  console.log(`  and with the first model: ${figures.inAll} in all (limit ${PAGE_LIMITS.inAll})`);
  console.log(`import { batched }: ${batchedAlone} bytes gzipped`);
  for (const [part, limit] of Object.entries(PAGE_LIMITS)) {
    if (figures[part] <= limit) continue;
    throw new Error(`expected createBatchedModel to weigh at most ${limit} bytes ${part}, got ${figures[part]}`);
  }
}

/** Size of an application that imports one name and nothing else. */
async function weigh(name, options = {}) {
  const { outputFiles } = await build({
    ...standalone,
    stdin: { contents: `export { ${name} } from "./dist/index.js";`, resolveDir: root },
    logOverride: { "ignored-bare-import": "silent" },
    write: false,
    ...options,
  });
  return gzipSync(outputFiles[0].contents, { level: 9 }).length;
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
