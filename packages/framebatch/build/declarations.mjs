// The declarations of the published package: a file for each entry, and those that entries share. The compiler writes one for
// each source, some of which name private packages, and needs them so in the workspace. `npm pack` puts these in their
// place, and takes them back afterwards.
// Usage: node build/declarations.mjs --restore
import { existsSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const dist = join(dirname(dirname(fileURLToPath(import.meta.url))), "dist");
const types = join(dist, "types");
/** The compiler's, meanwhile. What begins with a dot is not published. */
const compiled = join(dist, ".types");

/** The declarations that `exports` in package.json names, without their endings. */
const ENTRIES = ["index", "batched", "remote", "worker/index", "handlers/index"];

if (process.argv.includes("--restore")) restoreDeclarations();

/** Joins the declarations of each entry, comments included. */
export async function joinDeclarations() {
  // The build of the package works without these: their native code is not there for every machine.
  const [{ build }, { dts }] = await Promise.all([import("rolldown"), import("rolldown-plugin-dts")]);
  restoreDeclarations();
  renameSync(types, compiled);
  await build({
    input: Object.fromEntries(ENTRIES.map((name) => [name, join(compiled, `${name}.d.ts`)])),
    plugins: dts({ dtsOnly: true, generator: "oxc" }),
    output: { dir: types, chunkFileNames: "shared-[hash].d.ts" },
    logLevel: "warn",
  });
}

/** Takes the compiler's declarations back. */
export function restoreDeclarations() {
  if (!existsSync(compiled)) return;
  rmSync(types, { recursive: true, force: true });
  renameSync(compiled, types);
}
