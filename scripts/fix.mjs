import process from "node:process";
import { bin, ensureInstalled, main, run } from "./workspace.mjs";

await main(async () => {
  await ensureInstalled();
  const lint = await run(bin("oxlint"), ["--type-aware", "--fix"]);
  const format = await run(bin("oxfmt"), ["."]);
  process.exitCode = Math.max(lint.code, format.code);
});
