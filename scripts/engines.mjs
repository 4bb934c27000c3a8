// Runs the contract tests in Chromium, Firefox and WebKit. On Debian, installs missing browsers if it has the rights.
import process from "node:process";
import { readArguments } from "./arguments.mjs";
import { ENGINES, keepContract } from "./engines/contract.mjs";
import { installPackages, locate } from "./engines/engine.mjs";
import { ensureBuilt, ensureInstalled, main } from "./workspace.mjs";

const USAGE = `Usage: npm run test:engines
  Runs the contract of all engines in Chromium, Firefox and WebKit. On Debian, installs those that are missing.`;

await main(async () => {
  readArguments(USAGE, {}, () => {});
  await ensureInstalled();
  await installMissing();
  await ensureBuilt();
  const { passed, failed, skipped } = await keepContract();
  console.log(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
  process.exitCode = failed > 0 ? 1 : 0;
});

async function installMissing() {
  const located = await Promise.all(ENGINES.map(async (engine) => ({ engine, ...(await locate(engine)) })));
  const packages = located.filter(({ missing }) => missing.length > 0).flatMap(({ engine }) => engine.packages);
  if (packages.length === 0) return;
  const obstacle = await installPackages(packages);
  if (obstacle !== null) console.log(`Could not install ${packages.join(", ")}: ${obstacle}.`);
}
