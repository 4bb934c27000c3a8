// Anything at all as an item, an input or options, with a good item after every ten: no good one may be harmed.
import process from "node:process";
import { parseArgs } from "node:util";
import { inContractPage } from "./engines/contract-page.mjs";
import { ensureBuilt, ensureInstalled, main } from "./workspace.mjs";

const USAGE = `Usage: npm run fuzz:inputs -- [options]
  --count NUMBER   how many calls; 100000 if left out
  --seed NUMBER    another seed makes other ones; 1 if left out`;

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
