// Simulates the whole system: bundles both halves of framebatch and the simulation in packages/system-sim, and runs it.
// `--plant FILE` plants the bug in a JSON file { file, from, to }. Passes the arguments on; `npm run sim:system -- --help` lists them. `--source FOLDER` simulates another checkout.
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { bundleHalves } from "../packages/system-sim/build.mjs";
import { searchPlanted } from "./planted-bugs.mjs";
import { bundleForNode, runSimulator } from "./simulator.mjs";
import { ensureInstalled, main, root, withTemporaryFolder } from "./workspace.mjs";

/**
 * @param {string} name
 * @param {string} otherwise
 */
function textOf(name, otherwise) {
  const at = process.argv.indexOf(name);
  return at < 0 ? otherwise : (process.argv[at + 1] ?? otherwise);
}

await main(async () => {
  await ensureInstalled();
  await withTemporaryFolder(async (folder) => {
    const [halves, simulation] = [path.join(folder, "halves.json"), path.join(folder, "system-sim.mjs")];
    const at = process.argv.indexOf("--source");
    const source = at < 0 ? root : path.resolve(process.argv[at + 1] ?? "");
    const planted = process.argv.indexOf("--plant");
    const change = planted < 0 ? undefined : JSON.parse(readFileSync(process.argv[planted + 1] ?? "", "utf8"));
    writeFileSync(halves, JSON.stringify(await bundleHalves(source, change)));
    await bundleForNode(path.join(root, "packages", "system-sim", "src", "cli.ts"), simulation);
    if (process.argv.includes("--plants")) {
      const [named, limit, seed] = [
        textOf("--named", ""),
        Number(textOf("--limit", "60")),
        Number(textOf("--seed", "1")),
      ];
      process.exitCode = (await searchPlanted(simulation, folder, { named, limit, seed })) > 0 ? 1 : 0;
      return;
    }
    const { code } = await runSimulator(simulation, ["--halves", halves, ...process.argv.slice(2)]);
    process.exitCode = code;
  });
});
