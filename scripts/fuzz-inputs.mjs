// Passes random values as items, inputs and options, and a valid item after every ten of them. Every valid item must be
// answered correctly.
import process from "node:process";
import { parseArgs } from "node:util";
import { inContractPage } from "./engines/contract-page.mjs";
import { ensureBuilt, ensureInstalled, main } from "./workspace.mjs";

const USAGE = `Usage: npm run fuzz:inputs -- [options]
  --count NUMBER   number of calls; default: 100000
  --seed NUMBER    seed of the random values; default: 1`;

await main(async () => {
  const { values } = parseArgs({
    options: {
      count: { type: "string", default: "100000" },
      seed: { type: "string", default: "1" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return console.log(USAGE);
  await ensureInstalled();
  await ensureBuilt();
  const report = await inContractPage(`contract.flood(${Number(values.count)}, ${Number(values.seed)})`);
  const { harmed, syncThrows, uncaught, lost } = report;
  const isKept = harmed + syncThrows + uncaught + lost === 0;
  const figures = Object.entries(report).map(([name, figure]) => `${name}=${figure}`);
  console.log(`P10 ${isKept ? "PASS" : "FAIL"} ${figures.join(" ")}`);
  process.exitCode = isKept ? 0 : 1;
});
