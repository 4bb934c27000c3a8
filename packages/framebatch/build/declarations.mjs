// The declarations of the published package: a file for each entry, and those that entries share. The compiler writes one for
// each source, some of which name private packages, and needs them so in the workspace. `npm pack` puts these in their
// place, and takes them back afterwards.
// Usage: node build/declarations.mjs --restore
import { existsSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, "dist");
const types = join(dist, "types");
/** The compiler's, meanwhile. What begins with a dot is not published. */
const compiled = join(dist, ".types");

if (process.argv.includes("--restore")) restoreDeclarations();

/** Joins the declarations of each entry, comments included. */
export async function joinDeclarations() {
  // The build of the package works without these: their native code is not there for every machine.
  const [{ build }, { dts }] = await Promise.all([import("rolldown"), import("rolldown-plugin-dts")]);
  restoreDeclarations();
  renameSync(types, compiled);
  await build({
    input: Object.fromEntries(entries().map((file) => [file.replace(/\.d\.ts$/, ""), join(compiled, file)])),
    plugins: dts({ dtsOnly: true, generator: "oxc" }),
    output: { dir: types, chunkFileNames: "shared-[hash].d.ts" },
    logLevel: "warn",
  });
}

/** Returns the declarations that `exports` in package.json names, relative to `types`. Two entries may have the same. */
function entries() {
  const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const named = Object.values(exports).flatMap(({ types: file }) => (file ? [relative(types, join(root, file))] : []));
  return [...new Set(named)];
}

/** Takes the compiler's declarations back. */
export function restoreDeclarations() {
  if (!existsSync(compiled)) return;
  rmSync(types, { recursive: true, force: true });
  renameSync(compiled, types);
}
