// Simulates the whole system: bundles both halves of framebatch and the simulation in sim/system, and runs it.
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import process from "node:process";
import { bundleHalves } from "../sim/system/build.mjs";
import { existing, positiveNumber, readArguments, wholeNumber } from "./arguments.mjs";
import { plantsNamed, searchPlanted } from "./planted-bugs.mjs";
import { bundleForNode, runSimulator, usageOf } from "./simulator.mjs";
import { ensureInstalled, main, Problem, root, withTemporaryFolder } from "./workspace.mjs";

const USAGE = `${usageOf("system")}
  --source FOLDER simulates another checkout
  --plant FILE    plants the bug in a JSON file { file, from, to }: text to replace in a file, named relative to packages`;

const TEXT = /** @type {const} */ ({ type: "string" });
const SWITCH = /** @type {const} */ ({ type: "boolean", default: false });
const OPTIONS = {
  scenarios: TEXT,
  hours: TEXT,
  seconds: TEXT,
  seed: TEXT,
  about: TEXT,
  only: SWITCH,
  count: SWITCH,
  plants: SWITCH,
  named: TEXT,
  limit: TEXT,
  source: TEXT,
  plant: TEXT,
};

await main(async () => {
  const { source, change, plants, limit, seed, about, passedOn } = fromArguments();
  await ensureInstalled();
  await withTemporaryFolder(async (folder) => {
    const [halves, simulation] = [path.join(folder, "halves.json"), path.join(folder, "system-sim.mjs")];
    writeFileSync(halves, JSON.stringify(await bundleHalves(source, change)));
    await bundleForNode(path.join(root, "sim", "system", "src", "cli.ts"), simulation);
    if (plants === null) process.exitCode = (await runSimulator(simulation, ["--halves", halves, ...passedOn])).code;
    else process.exitCode = (await searchPlanted(simulation, folder, { plants, limit, seed, about })) > 0 ? 1 : 0;
  });
});

function fromArguments() {
  return readArguments(USAGE, { options: OPTIONS }, ({ values }) => {
    const { scenarios, hours, seconds, seed = "1", named, limit = "60" } = values;
    if (scenarios !== undefined) wholeNumber("--scenarios", scenarios);
    if (hours !== undefined) positiveNumber("--hours", hours);
    if (seconds !== undefined) positiveNumber("--seconds", seconds);
    if (named !== undefined && !values.plants) throw new Problem("--named: expected --plants beside it, got none.");
    const { source = root, plant, plants, ...others } = values;
    existing("--source", path.join(source, "packages/framebatch/src"));
    return {
      source: path.resolve(source),
      change: plant === undefined ? undefined : bugIn(plant),
      plants: plants ? plantsNamed(named ?? "") : null,
      limit: positiveNumber("--limit", limit),
      seed: wholeNumber("--seed", seed, { least: 0 }),
      about: others.about,
      passedOn: Object.entries(others).flatMap(([name, value]) => {
        if (value === false) return [];
        return value === true ? [`--${name}`] : [`--${name}`, value];
      }),
    };
  });
}

/** @param {string} file */
function bugIn(file) {
  const text = readFileSync(existing("--plant", file), "utf8");
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Problem(`--plant: expected JSON in ${file} (${String(error)}).`);
  }
}
