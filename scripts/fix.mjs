import process from "node:process";
import { readArguments } from "./arguments.mjs";
import { bin, ensureInstalled, main, run } from "./workspace.mjs";

const USAGE = `Usage: npm run fix
  Fixes what the linter can fix, and formats.`;

await main(async () => {
  readArguments(USAGE, {}, () => {});
  await ensureInstalled();
  const lint = await run(bin("oxlint"), ["--type-aware", "--fix"]);
  const format = await run(bin("oxfmt"), ["."]);
  process.exitCode = Math.max(lint.code, format.code);
});
