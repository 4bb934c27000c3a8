import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

/**
 * Returns the seed of the tests with random scenarios. Each state of the sources meets scenarios that no other one has met,
 * and passes or fails alike on every machine.
 *
 * @param {string} packages the folder of the packages
 */
export function seedOfSources(packages) {
  const digest = createHash("sha256");
  for (const name of readdirSync(packages).toSorted()) {
    for (const file of sourcesIn(path.join(packages, name, "src"))) digest.update(readFileSync(file));
  }
  return digest.digest().readInt32BE();
}

/** @param {string} folder */
function sourcesIn(folder) {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const sources = names.filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"));
  return sources.toSorted().map((name) => path.join(folder, name));
}
