// Prints which folders of the sources the code of a model comes from, in an application's first file and on demand until
// the first answer. Usage: node build/by-folder.mjs [--files]
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { onDemand } from "./packaged.mjs";
import { AT_ONCE, reachable } from "./reachable.mjs";

const packages = join(dirname(fileURLToPath(import.meta.url)), "../..");
const byFile = process.argv.includes("--files");

const { outputFiles, metafile } = await build({
  // What a model loads on demand is left out. `packaged-model.ts` is what it needs until its first answer.
  stdin: {
    contents: 'export * from "./packaged.js"; export * from "./packaged-model.js";',
    resolveDir: join(packages, "framebatch/src/client/api"),
  },
  absWorkingDir: packages,
  outdir: "app",
  bundle: true,
  splitting: true,
  format: "esm",
  target: "es2022",
  minify: true,
  legalComments: "none",
  metafile: true,
  write: false,
  plugins: [onDemand(join(packages, "framebatch"))],
});
const [first] = Object.keys(metafile.outputs).filter((path) => metafile.outputs[path]?.entryPoint === "<stdin>");
const loaded = reachable(metafile, [first], AT_ONCE);

/** Minified bytes and files by name. @type {Map<string, { bytes: number, files: number }>} */
const parts = new Map();
for (const path of loaded) {
  for (const [file, { bytesInOutput }] of Object.entries(metafile.outputs[path]?.inputs ?? {})) {
    const short = file.replace(/^.*node_modules\//, "").replace("/src/", "/");
    const name = byFile ? short : dirname(short);
    const { bytes, files } = parts.get(name) ?? { bytes: 0, files: 0 };
    parts.set(name, { bytes: bytes + bytesInOutput, files: files + 1 });
  }
}
const texts = outputFiles.filter(({ path }) => loaded.has(path.slice(packages.length + 1)));
const gzipped = gzipSync(Buffer.concat(texts.map(({ contents }) => contents)), { level: 9 }).length;
const minified = [...parts.values()].reduce((sum, { bytes }) => sum + bytes, 0);
console.log(
  `${minified} bytes minified, ${gzipped} gzipped as one file. A part's gzipped bytes are its share of these.`,
);
for (const [name, { bytes, files }] of [...parts].toSorted(([, a], [, b]) => b.bytes - a.bytes)) {
  const share = Math.round((gzipped * bytes) / minified);
  console.log(`${String(bytes).padStart(6)} ${String(share).padStart(6)}  ${name}${byFile ? "" : ` (${files} files)`}`);
}
