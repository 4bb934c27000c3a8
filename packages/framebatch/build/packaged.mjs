import { basename, join } from "node:path";
import { reachable } from "./reachable.mjs";

/** The modules that applications import. */
const ENTRIES = ["index", "batched", "wasm", "handlers"];

/**
 * What pages with servers import. It has a build of its own: in the one of models, all that loads on demand brings the code
 * of a model along.
 */
const SERVER_ENTRY = { remote: "src/remote.ts" };

/** The classes of errors: one file of both builds, so that `instanceof` holds whichever entry an error comes from. */
const ERRORS = "../batcher/src/errors/errors.ts";

/** Bundlers keep or drop whole files. Separate entry points keep the parts apart that a page may use individually. */
const ENTRY_POINTS = {
  index: "src/index.ts",
  batched: "src/batched.ts",
  wasm: "src/wasm.ts",
  handlers: "src/handlers/index.ts",
  functions: "../batcher/src/functions/batched.ts",
  pipeline: "../pipelines/src/builder/create-pipeline.ts",
  hub: "src/client/api/packaged-hub.ts",
  group: "src/client/api/packaged-group.ts",
  "remote-model": "src/client/api/packaged-remote.ts",
  "worker-engine": "src/client/api/packaged-worker.ts",
  model: "src/client/api/packaged.ts",
  cache: "src/client/api/cached-model.ts",
  prometheus: "../batcher/src/stats/prometheus-text.ts",
  errors: ERRORS,
};

/** What loads on demand here, and is in the other builds at once: the file, and the one in its place. */
const ON_DEMAND = {
  "src/client/model/load-later.ts": "src/client/api/load-later.ts",
  "../rows/src/collate/input-errors.ts": "src/client/model/input-errors.ts",
};

/**
 * What loads on demand without the code of a model: the cache, and what loads that code. All else loads beside a model, or
 * shares most of its code.
 */
const WITHOUT_A_MODEL = ["cached-models.ts", "all-providers.ts", "only-wasm.ts"];

/** Puts each file of `ON_DEMAND` in its place. @param root the folder of this package */
export const onDemand = (root) => ({
  name: "on-demand",
  setup({ onLoad }) {
    const places = new Map(Object.entries(ON_DEMAND).map((pair) => pair.map((file) => join(root, file))));
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const file = places.get(path);
      return file === undefined ? null : { contents: `export * from ${JSON.stringify(file)};`, resolveDir: root };
    });
  },
});

/**
 * Exports the code of a model from all that loads on demand. esbuild makes each set of modules that the same imports reach a
 * file of its own: without this, what one option shares with a model would be one file more for the pages of all models, and
 * files of a few hundred bytes compress badly.
 */
const besideModels = (root) => ({
  name: "beside-a-model",
  setup({ onResolve, onLoad }) {
    const model = JSON.stringify(join(root, "src/client/api/packaged-model.ts"));
    onResolve({ filter: /^\.\.?\// }, ({ path, kind, resolveDir }) => {
      if (kind !== "dynamic-import") return null;
      const file = join(resolveDir, path.replace(/\.js$/, ".ts"));
      return WITHOUT_A_MODEL.includes(basename(file)) ? null : { path: file, namespace: "beside-a-model" };
    });
    onLoad({ filter: /./, namespace: "beside-a-model" }, ({ path }) => {
      const module = JSON.stringify(path);
      return { contents: `export * from ${module};\nexport { open as openModel } from ${model};`, resolveDir: root };
    });
  },
});

/** Leaves the file of `ERRORS` to the other build. */
const errorsOfModels = {
  name: "errors-of-models",
  setup({ onResolve }) {
    onResolve({ filter: /\berrors\.js$/ }, ({ path, kind, resolveDir }) => {
      const isErrors = path.endsWith("/errors/errors.js") || join(resolveDir, path).endsWith("/errors/errors.js");
      return isErrors && kind !== "entry-point" ? { path: "./errors.js", external: true } : null;
    });
  },
};

/**
 * Builds the modules for bundlers, dependencies included, so that nothing depends on how a bundler finds those.
 * @param bundle runs esbuild
 * @param options those of esbuild
 * @returns the files, as `{ path, text }`
 */
export async function packagedFiles(bundle, options) {
  const atRoot = onDemand(options.absWorkingDir);
  const models = await filesOf(
    bundle,
    options,
    ENTRY_POINTS,
    [...ENTRIES, "errors"],
    [atRoot, besideModels(options.absWorkingDir)],
  );
  const servers = await filesOf(bundle, options, SERVER_ENTRY, Object.keys(SERVER_ENTRY), [errorsOfModels, atRoot]);
  return [...models, ...servers];
}

/**
 * Builds entry points, and returns the files that `entries` need.
 * @param entries names of entry points
 */
async function filesOf(bundle, options, entryPoints, entries, plugins) {
  const { metafile, outputFiles } = await bundle({ ...options, entryPoints, splitting: true, write: false, plugins });
  // Empty imports keep an order that no module needs: all modules but the worker are free of side effects. esbuild would
  // load what they name at once in applications that load it on demand.
  const emptyImport = /^import "\.\/[^"]+";\n/gm;
  const needed = reachable(
    metafile,
    entries.map((name) => `${options.outdir}/${name}.js`),
  );
  const files = outputFiles.filter(({ path }) => needed.has(`${options.outdir}/${basename(path, ".map")}`));
  // An empty line in its place keeps the source map right.
  return files.map(({ path, text }) => ({ path, text: text.replaceAll(emptyImport, "\n") }));
}
