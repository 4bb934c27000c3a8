import process from "node:process";
import { buildAll, ensureInstalled, main } from "./workspace.mjs";

await main(async () => {
  await ensureInstalled();
  process.exitCode = (await buildAll({ quiet: false })).code;
});
