// What each mechanism of the scheduler is worth. With a folder, builds framebatch without one mechanism each, and once
// without all of them, into the folders that `npm run bench -- --build` compares; the other files are those of dist, so run
// `npm run build` first. With `--lost`, counts the cells that the simulator loses without each.
import { copyFileSync, mkdirSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { ABLATIONS } from "../sim/batcher/ablations.mjs";
import { oneOf, readArguments } from "./arguments.mjs";
import { editCore } from "./edited-core.mjs";
import { bundleSimulator, runSimulator } from "./simulator.mjs";
import { main, Problem, root, withTemporaryFolder } from "./workspace.mjs";

const PACKAGE = path.join(root, "packages", "framebatch");

const ALL = [...ABLATIONS, { name: "none", edits: ABLATIONS.flatMap(({ edits }) => edits) }];
const NAMES = ALL.map(({ name }) => name);

const USAGE = `Usage: npm run measure ablations -- FOLDER [NAME …]
       npm run measure ablations -- --lost [NAME …]
  FOLDER   where it writes the builds
  --lost   counts the cells that the simulator loses
  NAME     a mechanism to leave out; default: all of ${NAMES.join(", ")}`;

await main(async () => {
  const { folder, names } = fromArguments();
  const wanted = ALL.filter(({ name }) => names.length === 0 || names.includes(name));
  if (folder === undefined) return await withTemporaryFolder((temporary) => countLost(wanted, temporary));
  for (const { name, edits } of [{ name: "all", edits: [] }, ...wanted]) {
    await buildWithout(edits, path.join(folder, name, "packages/framebatch/dist"));
    console.log(`--build ${name}=${path.join(folder, name)}`);
  }
});

/** Returns the folder for the builds, or none with `--lost`, and the names of the mechanisms. */
function fromArguments() {
  const config = /** @type {const} */ ({
    allowPositionals: true,
    options: { lost: { type: "boolean", default: false } },
  });
  return readArguments(USAGE, config, ({ positionals, values }) => {
    const [folder, ...names] = values.lost ? [undefined, ...positionals] : positionals;
    if (folder === undefined && !values.lost)
      throw new Problem("Expected a folder for the builds, or --lost, got neither.");
    return { folder, names: names.map((name) => oneOf("NAME", name, NAMES)) };
  });
}

/**
 * Simulates with one seed, with every mechanism and without each. The policies of others are simulated once.
 *
 * @param {readonly Pick<import("../sim/batcher/ablations.mjs").Ablation, "name" | "edits">[]} ablations
 * @param {string} folder
 */
async function countLost(ablations, folder) {
  const bundle = path.join(folder, "sim.mjs");
  const rows = path.join(folder, "rows.json");
  for (const { name, edits } of [{ name: "all", edits: [] }, ...ablations]) {
    await bundleSimulator(bundle, [editCore(edits)]);
    const known = name === "all" ? ["--json", rows] : ["--reuse", rows, "--against", rows];
    const { code, output } = await runSimulator(bundle, ["--seeds", "1", "--brief", ...known], { quiet: true });
    if (code !== 0) throw new Problem(`The simulation without "${name}" failed: ${output}`);
    console.log(
      `${name}\n${output
        .split("\n")
        .filter((line) => /^Lost cells|^No cell|worse$/.test(line))
        .join("\n")}`,
    );
  }
}

/**
 * @param {import("../sim/batcher/ablations.mjs").Ablation["edits"]} edits
 * @param {string} dist
 */
async function buildWithout(edits, dist) {
  mkdirSync(dist, { recursive: true });
  const own = path.join(PACKAGE, "dist");
  const files = readdirSync(own).filter((file) => /^(framebatch|ort)[.-].*\.(js|wasm|bin)$/.test(file));
  for (const file of files) copyFileSync(path.join(own, file), path.join(dist, file));
  const require = createRequire(path.join(PACKAGE, "package.json"));
  const esbuild = require("esbuild");
  // That of the worker, or the page would refuse it.
  const { version } = require("./package.json");
  await esbuild.build({
    entryPoints: { framebatch: path.join(PACKAGE, "src/module.ts") },
    define: { FRAMEBATCH_VERSION: JSON.stringify(version) },
    outdir: dist,
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    logLevel: "warning",
    plugins: [editCore(edits)],
  });
}
