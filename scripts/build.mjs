import process from "node:process";
import { readArguments } from "./arguments.mjs";
import { buildAll, ensureInstalled, main } from "./workspace.mjs";

const USAGE = `Usage: npm run build
  Builds every package, each after those that it depends on.`;

await main(async () => {
  readArguments(USAGE, {}, () => {});
  await ensureInstalled();
  process.exitCode = (await buildAll({ quiet: false })).code;
});
