// Builds framebatch without one mechanism of its scheduler each, and once without all of them, into the folders that
// `npm run bench -- --build` compares. The other files are those of dist, so run `npm run build` first.
//
//     node scripts/ablations.mjs FOLDER
import { copyFileSync, mkdirSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import process from "node:process";
import { ABLATIONS } from "../packages/batcher/sim/ablations.mjs";
import { editCore } from "./edited-core.mjs";
import { main, Problem, root } from "./workspace.mjs";

const PACKAGE = path.join(root, "packages", "framebatch");

await main(async () => {
  const [folder] = process.argv.slice(2);
  if (folder === undefined) throw new Problem("Expected a folder for the builds, got none.");
  const all = { name: "none", edits: ABLATIONS.flatMap(({ edits }) => edits) };
  for (const { name, edits } of [{ name: "all", edits: [] }, ...ABLATIONS, all]) {
    await buildWithout(edits, path.join(folder, name, "packages/framebatch/dist"));
    console.log(`--build ${name}=${path.join(folder, name)}`);
  }
});

/**
 * @param {import("../packages/batcher/sim/ablations.mjs").Ablation["edits"]} edits
 * @param {string} dist
 */
async function buildWithout(edits, dist) {
  mkdirSync(dist, { recursive: true });
  const own = path.join(PACKAGE, "dist");
  const files = readdirSync(own).filter((file) => /^(framebatch|ort)[.-].*\.(js|wasm|bin)$/.test(file));
  for (const file of files) copyFileSync(path.join(own, file), path.join(dist, file));
  const esbuild = createRequire(path.join(PACKAGE, "package.json"))("esbuild");
  await esbuild.build({
    entryPoints: { framebatch: path.join(PACKAGE, "src/module.ts") },
    define: { FRAMEBATCH_VERSION: '"ablated"' },
    outdir: dist,
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    logLevel: "warning",
    plugins: [editCore(edits)],
  });
}
