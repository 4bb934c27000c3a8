// Passes random values as items, inputs and options, and a valid item after every ten of them. Every valid item must be
// answered correctly.
import process from "node:process";
import { readArguments, wholeNumber } from "./arguments.mjs";
import { inContractPage } from "./engines/contract-page.mjs";
import { ensureBuilt, ensureInstalled, main } from "./workspace.mjs";

const USAGE = `Usage: npm run measure fuzz:inputs -- [options]
  --count NUMBER   number of calls; default: 100000
  --seed NUMBER    seed of the random values; default: 1`;

await main(async () => {
  const options = /** @type {const} */ ({
    count: { type: "string", default: "100000" },
    seed: { type: "string", default: "1" },
  });
  const { count, seed } = readArguments(USAGE, { options }, ({ values }) => ({
    count: wholeNumber("--count", values.count),
    seed: wholeNumber("--seed", values.seed, { least: 0 }),
  }));
  await ensureInstalled();
  await ensureBuilt();
  const report = await inContractPage(`contract.flood(${count}, ${seed})`);
  const { harmed, syncThrows, uncaught, lost } = report;
  const isKept = harmed + syncThrows + uncaught + lost === 0;
  const figures = Object.entries(report).map(([name, figure]) => `${name}=${figure}`);
  console.log(`P10 ${isKept ? "PASS" : "FAIL"} ${figures.join(" ")}`);
  process.exitCode = isKept ? 0 : 1;
});
