// Builds all published files into dist/. Usage: node build.mjs
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
 * The size limits of the code in an application, in bytes, minified and gzipped, including Comlink. A larger size fails
 * the build.
 * - `atOnce`: the code that `import { createBatchedModel }` loads before the first model is created.
 * - `inAll`: that code, and the code that loads with the first model. The limit is the size when it was set, plus 3 %.
 * - `handlers`: all of `framebatch/handlers`, which must not load the rest of the library.
 */
const SIZE_LIMITS = { atOnce: 1_700, inAll: 45_300, handlers: 4_150 };
const WORKER_EXPRESSION = 'new Worker(new URL("./worker.js", import.meta.url), { type: "module" })';
/**
 * The .mjs files are needed for threads if the page has another origin: there, ONNX Runtime cannot start threads from
 * its own script.
 */
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
await checkSizes();
buildTypes();
printSizes();

/** Removes the bundles, but keeps the type checker's output and its incremental state. */
function cleanDist() {
  mkdirSync(dist, { recursive: true });
  for (const file of readdirSync(dist)) {
    if (/\.(js|mjs|wasm)$/.test(file)) rmSync(join(dist, file));
  }
}

/**
 * Builds for bundlers: dependencies remain imports, and the worker is one file, which the page's code refers to by
 * name.
 */
async function buildPackaged() {
  await build({ ...packaged, entryPoints: { worker: "src/worker/index.ts" }, outdir: "dist" });
  const { metafile, outputFiles } = await build({
    ...packaged,
    // Bundlers keep or drop whole files. Separate entry points keep the parts apart that a page may use individually.
    entryPoints: {
      index: "src/index.ts",
      handlers: "src/handlers/index.ts",
      batched: "src/client/functions/batched.ts",
      pipeline: "src/client/pipelines/create-pipeline.ts",
      model: "src/client/api/packaged.ts",
      cache: "src/client/api/cached-model.ts",
    },
    outdir: "dist",
    splitting: true,
    metafile: true,
    write: false,
  });
  const needed = new Set([...reachable(metafile, "dist/index.js"), ...reachable(metafile, "dist/handlers.js")]);
  const files = outputFiles.filter(({ path }) => needed.has(`dist/${basename(path)}`));
  for (const { path, contents } of files) writeFileSync(path, contents);
  if (!files.some(({ text }) => text.includes(WORKER_EXPRESSION))) {
    throw new Error(`expected a file in dist to contain ${WORKER_EXPRESSION}, by which bundlers find the worker`);
  }
}

/** Returns `entry` and all files of a build that it imports, statically or dynamically. */
function reachable({ outputs }, entry) {
  const found = new Set([entry]);
  for (const file of found) {
    for (const { path } of outputs[file]?.imports ?? []) found.add(path);
  }
  return found;
}

/**
 * Builds for script tags: all dependencies are bundled. ONNX Runtime's builds are chunks, of which a worker loads one.
 */
async function buildStandalone() {
  await build({ ...standalone, entryPoints: { "framebatch.global": "src/global.ts" }, format: "iife", outdir: "dist" });
  await build({ ...standalone, entryPoints: { framebatch: "src/module.ts" }, outdir: "dist" });
  await build({
    ...standalone,
    entryPoints: { "framebatch.worker": "src/worker/index.ts" },
    outdir: "dist",
    splitting: true,
    chunkNames: "framebatch.[name]-[hash]",
    // ONNX Runtime imports these only in Node.
    external: ["module", "worker_threads", "node:*"],
  });
}

/** Copies ONNX Runtime's files next to the chunks, which look for them there. */
function copyRuntimeFiles() {
  for (const file of RUNTIME_FILES) copyFileSync(require.resolve(`onnxruntime-web/${file}`), join(dist, file));
}

/** Measures the size of dist in applications, and checks the limits. Code that loads on demand is in separate files. */
async function checkSizes() {
  const chunk = (name) => `./${readdirSync(dist).find((file) => file.startsWith(`${name}-`))}`;
  const figures = {
    atOnce: await weigh("createBatchedModel", {
      external: [chunk("create-batched-model"), chunk("create-handled-model")],
    }),
    inAll: await weigh("createBatchedModel", { external: [chunk("create-handled-model")] }),
    withHandlers: await weigh("createBatchedModel"),
    handlers: await weigh("*", { file: "handlers.js" }),
  };
  const batchedAlone = await weigh("batched");
  console.log(`import { createBatchedModel }: ${figures.atOnce} bytes gzipped (limit ${SIZE_LIMITS.atOnce})`);
  console.log(`  with the first model: ${figures.inAll} bytes gzipped in total (limit ${SIZE_LIMITS.inAll})`);
  console.log(`  with a worker that has handlers: ${figures.withHandlers} bytes gzipped in total`);
  console.log(`import { batched }: ${batchedAlone} bytes gzipped`);
  console.log(`framebatch/handlers: ${figures.handlers} bytes gzipped (limit ${SIZE_LIMITS.handlers})`);
  for (const [part, limit] of Object.entries(SIZE_LIMITS)) {
    if (figures[part] <= limit) continue;
    throw new Error(`expected ${part} to have at most ${limit} bytes, got ${figures[part]}`);
  }
}

/** Returns the gzipped size of an application that imports only `name`, or everything (`*`), in bytes. */
async function weigh(name, { file = "index.js", ...options } = {}) {
  const exported = name === "*" ? "*" : `{ ${name} }`;
  const { outputFiles } = await build({
    ...standalone,
    stdin: { contents: `export ${exported} from "./dist/${file}";`, resolveDir: root },
    logOverride: { "ignored-bare-import": "silent" },
    write: false,
    ...options,
  });
  return gzipSync(outputFiles[0].contents, { level: 9 }).length;
}

function buildTypes() {
  const tsc = join(dirname(require.resolve("typescript/package.json")), "bin/tsc");
  const { status } = spawnSync(process.execPath, [tsc, "--build", "src", "src/worker", "src/handlers"], {
    cwd: root,
    stdio: "inherit",
  });
  if (status === 0) return;
  console.error("The build failed because of the type errors above.");
  process.exit(1);
}

function printSizes() {
  for (const file of readdirSync(dist).filter((name) => /\.(js|mjs|wasm)$/.test(name))) {
    const { size } = statSync(join(dist, file));
    const gzipped = file.endsWith(".js") ? `, ${gzipSync(readFileSync(join(dist, file))).length} gzipped` : "";
    console.log(`dist/${file}: ${size} bytes${gzipped}`);
  }
}
