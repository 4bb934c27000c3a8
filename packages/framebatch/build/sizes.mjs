import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { AT_ONCE, reachable } from "./reachable.mjs";

/**
 * The size limits of the code in an application, in bytes, minified and gzipped, including Comlink. A larger size fails
 * the build.
 * - `atOnce`: the code that `import { createBatchedModel }` loads before the first model is created.
 * - `inAll`: that code, and the code that loads until the first answer of a model without options. What an entry ships is a
 *   file of its own, so that each entry has its own. The limit is the size when it was set, plus 1 %.
 * - `files`: the number of files of that code, without the application's own.
 * - `secondWave`: the code that a model loads after its first answer.
 * - `error`: `import { FramebatchError }`.
 * - `batched`: `import { batched }`, which must not load the code of a model.
 * - `handlers`: all of `framebatch/handlers`, which must not load the rest of the library.
 */
const LIMITS = {
  atOnce: 1_880,
  inAll: 52_300,
  files: 3,
  secondWave: 4_190,
  error: 410,
  batched: 28_640,
  handlers: 4_440,
};

/** What loads on demand with a model, in the application: what its entry ships, and the code of a model. */
const MODEL = "all-providers";
/** What loads after the first answer. */
const SECOND_WAVE = "later-code";

/**
 * Measures the size of dist in applications, and checks the limits.
 * @param {string} dist
 */
export async function checkSizes(dist) {
  const model = await bundle(dist, "{ createBatchedModel }");
  const figures = {
    atOnce: model.size([]),
    inAll: model.size([MODEL]),
    files: model.files([MODEL]),
    secondWave: model.size([MODEL, SECOND_WAVE]) - model.size([MODEL]),
    withOptions: model.size([MODEL, "model-creator"]),
    withHandlers: model.size([MODEL, "packaged-handled"]),
    withServer: model.size([MODEL, "packaged-hybrid"]),
    engine: (await bundle(dist, "{ createBatchedWorker }")).size(["packaged-handled"]),
    remote: (await bundle(dist, "{ createRemoteModel }", "remote.js")).size(["create-remote-model"]),
    error: (await bundle(dist, "{ FramebatchError }")).size([]),
    batched: (await bundle(dist, "{ batched }")).size([]),
    handlers: (await bundle(dist, "*", "handlers.js")).size([]),
  };
  console.log(`import { createBatchedModel }: ${figures.atOnce} bytes gzipped (limit ${LIMITS.atOnce})`);
  console.log(
    `  with the first model: ${figures.inAll} bytes gzipped in total (limit ${LIMITS.inAll}), in ${figures.files} files (limit ${LIMITS.files}) and the application's own`,
  );
  console.log(`  after the first answer: ${figures.secondWave} bytes gzipped more (limit ${LIMITS.secondWave})`);
  console.log(`  with options: ${figures.withOptions} bytes gzipped in total`);
  console.log(`  with a worker that has handlers: ${figures.withHandlers} bytes gzipped in total`);
  console.log(`  with the option remote: ${figures.withServer} bytes gzipped in total`);
  console.log(`import { createBatchedWorker }, with the first engine: ${figures.engine} bytes gzipped in total`);
  console.log(
    `framebatch/remote: import { createRemoteModel }, with the first model: ${figures.remote} bytes gzipped in total`,
  );
  console.log(`import { FramebatchError }: ${figures.error} bytes gzipped (limit ${LIMITS.error})`);
  console.log(`import { batched }: ${figures.batched} bytes gzipped (limit ${LIMITS.batched})`);
  console.log(`framebatch/handlers: ${figures.handlers} bytes gzipped (limit ${LIMITS.handlers})`);
  for (const [part, limit] of Object.entries(LIMITS)) {
    const figure = Reflect.get(figures, part);
    if (figure > limit) throw new Error(`expected at most ${limit} for ${part}, got ${figure}`);
  }
  for (const page of CLAIMS) checkClaim(page);
}

/** The pages that say how much an application loads. */
const CLAIMS = ["README.md", "docs/is-it-for-me.md"].map((page) => join(import.meta.dirname, "../../..", page));

/** Checks that a page names the limits, in kB. @param {string} page */
function checkClaim(page) {
  const text = readFileSync(page, "utf8").replaceAll(/\s+/g, " ");
  const [, atOnce, inAll] = /A page loads (.+?) kB .*?at once.*? (\d+) kB with the first model/.exec(text) ?? [];
  const limits = [(LIMITS.atOnce / 1000).toFixed(1), (LIMITS.inAll / 1000).toFixed(0)];
  if (`${atOnce}, ${inAll}` === limits.join(", ")) return;
  throw new Error(`expected ${page} to name ${limits.join(" and ")} kB, got ${atOnce} and ${inAll}`);
}

/**
 * Bundles an application that imports `names`. esbuild divides it into files by what loads together, and keeps whole
 * modules, so that other bundlers load no more at once.
 * @param {string} dist
 * @param {string} names
 */
async function bundle(dist, names, file = "index.js") {
  const { outputFiles, metafile } = await build({
    stdin: { contents: `export ${names} from "./${file}";`, resolveDir: dist },
    absWorkingDir: dist,
    outdir: "app",
    bundle: true,
    splitting: true,
    format: "esm",
    target: "es2022",
    minify: true,
    legalComments: "none",
    logLevel: "warning",
    logOverride: { "ignored-bare-import": "silent" },
    metafile: true,
    write: false,
  });
  /**
   * Returns the files that load at once and with the modules in `onDemand`.
   * @param {readonly string[]} onDemand
   */
  function loaded(onDemand) {
    const first = Object.keys(metafile.outputs).filter((path) => {
      const { entryPoint } = metafile.outputs[path] ?? {};
      return entryPoint === "<stdin>" || onDemand.some((name) => entryPoint?.startsWith(`${name}-`));
    });
    if (first.length !== 1 + onDemand.length)
      throw new Error(`expected a file for each of ${onDemand.join(", ")}, got ${first.join(", ")}`);
    const all = reachable(metafile, first, AT_ONCE);
    return outputFiles.filter(({ path }) => all.has(path.slice(dist.length + 1)));
  }
  return {
    /** Returns their gzipped size, in bytes. @param {readonly string[]} onDemand */
    size: (onDemand) => loaded(onDemand).reduce((sum, { text }) => sum + gzip(text), 0),
    /** Returns their number, without the application's own. @param {readonly string[]} onDemand */
    files: (onDemand) => loaded(onDemand).length - 1,
  };
}

/**
 * Returns the size with gzip, in bytes. The digests in the names of files are replaced by others that depend on their order alone:
 * a comment changes the digests, and with them the size by up to 16 bytes.
 * @param {string} text
 */
function gzip(text) {
  const names = [...new Set(text.match(DIGEST))];
  const stable = text.replaceAll(DIGEST, (name) => `-${digestLike(names.indexOf(name))}`);
  return gzipSync(stable, { level: 9 }).length;
}

/** The digest in the name of a file. */
const DIGEST = /-[A-Z0-9]{8}(?=[-.])/g;

/** @param {number} index */
function digestLike(index) {
  return createHash("sha256").update(String(index)).digest("hex").slice(0, 8).toUpperCase();
}

/** @param {string} dist */
export function printSizes(dist) {
  for (const file of readdirSync(dist).filter((name) => /\.(js|wasm|bin)$/.test(name))) {
    const { size } = statSync(join(dist, file));
    const gzipped = file.endsWith(".js") ? `, ${gzipSync(readFileSync(join(dist, file))).length} gzipped` : "";
    console.log(`dist/${file}: ${size} bytes${gzipped}`);
  }
}
