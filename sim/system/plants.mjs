// The planted bugs: those in plants, and those of the batcher in its simulator.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { MUTANTS } from "../batcher/mutants.mjs";

const FOLDER = path.join(path.dirname(fileURLToPath(import.meta.url)), "plants");

/** @returns {import("./plants.d.mts").Plant[]} */
export function readPlants() {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith(".json"));
  const own = files.flatMap((file) => {
    /** @type {import("./plants.d.mts").Plant[]} */
    const plants = JSON.parse(readFileSync(path.join(FOLDER, file), "utf8"));
    return plants.map((plant) => ({ ...plant, set: file.replace(".json", "") }));
  });
  /** Why the whole system cannot show some of the bugs of the batcher. @type {Record<string, string>} */
  const unseen = JSON.parse(readFileSync(path.join(FOLDER, "..", "unseen.json"), "utf8"));
  const ofCore = MUTANTS.map(({ name, file, search, replace }) => ({
    name,
    set: "fuzzed",
    file,
    from: search,
    to: replace,
    ...(name in unseen && { unseen: unseen[name] }),
  }));
  return [...own, ...ofCore];
}
