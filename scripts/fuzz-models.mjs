// Loads damaged models in a real browser. Each load must end in time, with a typed error or with a model, and must not
// crash the tab.
import process from "node:process";
import { readArguments, wholeNumber } from "./arguments.mjs";
import { inContractPage } from "./engines/contract-page.mjs";
import { ensureBuilt, ensureInstalled, main } from "./workspace.mjs";

const USAGE = `Usage: npm run measure fuzz:models -- [options]
  --count NUMBER   number of models; default: 5000
  --from NUMBER    number of the first model; default: 0
  --seed NUMBER    seed of the damage; default: 1`;
/** @typedef {{ tried: number, crashes: number, bad: string[], outcomes: Record<string, number> }} Total */

/** Models per page. After a crash, the damaged model is one of these. */
const CHUNK = 100;

await main(async () => {
  const options = /** @type {const} */ ({
    count: { type: "string", default: "5000" },
    from: { type: "string", default: "0" },
    seed: { type: "string", default: "1" },
  });
  const { count, first, seed } = readArguments(USAGE, { options }, ({ values }) => ({
    count: wholeNumber("--count", values.count),
    first: wholeNumber("--from", values.from, { least: 0 }),
    seed: wholeNumber("--seed", values.seed, { least: 0 }),
  }));
  await ensureInstalled();
  await ensureBuilt();
  /** @type {Total} */
  const total = { tried: 0, crashes: 0, bad: [], outcomes: {} };
  for (let from = first; from < first + count; from += CHUNK) {
    const size = Math.min(CHUNK, first + count - from);
    await tryChunk(total, from, size, seed);
    console.log(`${total.tried} of ${count}: ${JSON.stringify(total.outcomes)}, ${total.crashes} tabs crashed`);
  }
  for (const what of total.bad) console.log(`FAILED  ${what}`);
  process.exitCode = total.crashes + total.bad.length > 0 ? 1 : 0;
});

/**
 * @param {Total} total
 * @param {number} from
 * @param {number} count
 * @param {number} seed
 */
async function tryChunk(total, from, count, seed) {
  try {
    const { tried, outcomes, bad } = await inContractPage(`contract.fuzzModels(${from}, ${count}, ${seed})`);
    total.tried += tried;
    total.bad.push(...bad);
    for (const [outcome, times] of Object.entries(outcomes))
      total.outcomes[outcome] = (total.outcomes[outcome] ?? 0) + times;
  } catch (error) {
    total.crashes += 1;
    console.log(
      `the tab crashed in models ${from} to ${from + count - 1}: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
