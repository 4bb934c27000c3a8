// Plants the bugs of sim/system/plants one after the other, and searches for each with random scenarios.
import { writeFileSync } from "node:fs";
import path from "node:path";
import { bundleHalves } from "../sim/system/build.mjs";
import { readPlants } from "../sim/system/plants.mjs";
import { runSimulator } from "./simulator.mjs";
import { Problem } from "./workspace.mjs";

/** Time for starting, in milliseconds: a planted bug may also cause an endless loop, which ends the search and counts as found. */
const START_MS = 30_000;

/**
 * Prints a table of the bugs, with the number of scenarios and the processor time until each is found. Returns how many were not.
 *
 * @param {string} simulation the bundled simulation
 * @param {string} folder for temporary files
 * @param {{ plants: ReturnType<typeof plantsNamed>, limit: number, seed: number, about: string | undefined }} terms
 */
export async function searchPlanted(simulation, folder, { plants, limit, seed, about }) {
  const [clean, planted] = [path.join(folder, "clean.json"), path.join(folder, "planted.json")];
  writeFileSync(clean, JSON.stringify(await bundleHalves()));
  let [left, at] = [plants, 0];
  console.log("| planted bug | file | found by | scenarios | seconds |\n| --- | --- | --- | --- | --- |");
  // Most are found soon, so that the others get their time last.
  for (const seconds of [limit / 4, limit]) {
    const missed = [];
    for (const plant of left) {
      // Those that cannot be seen are tried for a moment only, in case that they can.
      if (plant.unseen !== undefined && seconds === limit) {
        missed.push(plant);
        continue;
      }
      writeFileSync(planted, JSON.stringify(await bundleHalves(undefined, plant)));
      const first = String(seed + 1_000_000 * at++);
      const args = ["--halves", planted, "--clean", clean, "--limit", String(seconds), "--seed", first];
      if (about !== undefined) args.push("--about", about);
      const limitMs = seconds * 8000 + START_MS;
      const { code, output } = await runSimulator(simulation, args, { quiet: true, limitMs });
      const verdict = verdictOf(code, output);
      if (verdict.rule === null) missed.push(plant);
      else console.log(`| ${[plant.name, plant.file, ...Object.values(verdict)].join(" | ")} |`);
    }
    left = missed;
  }
  for (const { name, file, unseen } of left) console.log(`| ${name} | ${file} | ${unseen ?? "NOT FOUND"} | | |`);
  const hidden = left.filter(({ unseen }) => unseen === undefined).length;
  console.log(
    `\n${plants.length - left.length} of ${plants.length} planted bugs found; ${hidden} not within ${limit} s each.`,
  );
  return hidden;
}

/** Returns the bugs of a set, or those with a text in their name or file. @param {string} named */
export function plantsNamed(named) {
  const all = readPlants();
  const ofSet = all.filter(({ set }) => set === named);
  const chosen =
    ofSet.length > 0 ? ofSet : all.filter(({ name, file }) => name.includes(named) || file.includes(named));
  if (chosen.length > 0) return chosen;
  throw new Problem(`--named: expected a text in the name or file of a planted bug, got "${named}".`);
}

/**
 * @param {number} code
 * @param {string} output
 * @returns {{ rule: string | null, scenarios: string, seconds: string }}
 */
function verdictOf(code, output) {
  const line = output.split("\n").findLast((text) => text.startsWith('{"rule"'));
  if (line === undefined)
    return { rule: code === 124 ? "never ends" : "stops the simulation", scenarios: "", seconds: "" };
  const { rule, scenarios = "", seconds = "" } = JSON.parse(line);
  return { rule, scenarios: String(scenarios), seconds: seconds === "" ? "" : seconds.toFixed(1) };
}
