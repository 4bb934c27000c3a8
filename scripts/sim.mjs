// Bundles the simulator in packages/framebatch/sim and runs it in Node. Passes the arguments on; `npm run sim --
// --help` lists them.
import path from "node:path";
import process from "node:process";
import { MUTANTS } from "../packages/framebatch/sim/mutants.mjs";
import { editCore } from "./edited-core.mjs";
import { bundleSimulator, runSimulator } from "./simulator.mjs";
import { ensureInstalled, main, Problem, withTemporaryFolder } from "./workspace.mjs";

/** The number of seeds within which the simulator must detect every planted bug. */
const MUTANT_SEEDS = 1000;
/** The time limit of a run: a planted bug may cause an endless loop, which counts as detected. */
const MUTANT_LIMIT_MS = 30_000;
/** The same for pipelines. Their scenarios await promises, and take far longer. */
const PIPELINES_LIMIT_MS = 180_000;

/** Folders and files of the core that only pipelines and streams use, and no batcher. */
const OF_PIPELINES = ["pipeline/", "source-reader.ts", "user-call.ts", "queue/late-ticket.ts"];

await main(async () => {
  await ensureInstalled();
  await withTemporaryFolder(async (folder) => {
    const outfile = path.join(folder, "sim.mjs");
    if (process.argv.includes("--mutants")) await runMutants(outfile);
    else await simulate(outfile);
  });
});

/** @param {string} outfile */
async function simulate(outfile) {
  await bundleSimulator(outfile, []);
  const { code } = await runSimulator(outfile, process.argv.slice(2), {});
  process.exitCode = code;
}

/**
 * Checks the invariants: the core must satisfy all of them, and with each planted bug it must violate one.
 *
 * @param {string} outfile
 */
async function runMutants(outfile) {
  await bundleSimulator(outfile, []);
  const fault = (await examine(outfile)) ?? (await examinePipelines(outfile));
  if (fault !== null) throw new Problem(`The core fails without a planted bug: ${fault}`);
  let caught = 0;
  for (const mutant of MUTANTS) {
    await bundleSimulator(outfile, [editCore([mutant])]);
    const verdict = await examine(outfile, mutant);
    if (verdict !== null) caught++;
    console.log(
      `${verdict === null ? "NOT CAUGHT" : "caught"}  ${mutant.name}${verdict === null ? "" : ` (${verdict})`}`,
    );
  }
  console.log(
    `\n${caught} of ${MUTANTS.length} planted bugs were caught, within ${MUTANT_SEEDS} seeds each or by --lengths.`,
  );
  if (caught < MUTANTS.length) process.exitCode = 1;
}

/**
 * Checks a bundle: first the invariants, then items of mixed sizes, which is slower. Returns the first fault, or
 * `null`.
 *
 * @param {string} outfile
 * @param {import("../packages/framebatch/sim/mutants.mjs").Mutant} [mutant] The planted bug. One in `OF_PIPELINES`
 *   affects nothing else.
 */
async function examine(outfile, mutant) {
  if (OF_PIPELINES.some((place) => mutant?.file.startsWith(place))) return examinePipelines(outfile);
  const fuzz = await runSimulator(outfile, ["--fuzz", String(MUTANT_SEEDS)], { quiet: true, limitMs: MUTANT_LIMIT_MS });
  if (fuzz.code !== 0) return verdictOf(fuzz);
  const lengths = await runSimulator(outfile, ["--lengths"], { quiet: true });
  return lengths.code === 0 ? null : (lengths.output.trimEnd().split("\n").at(-1) ?? "");
}

/**
 * Checks the pipelines of a bundle. Returns the first fault, or `null`.
 *
 * @param {string} outfile
 */
async function examinePipelines(outfile) {
  const args = ["--fuzz-pipelines", String(MUTANT_SEEDS)];
  const fuzz = await runSimulator(outfile, args, { quiet: true, limitMs: PIPELINES_LIMIT_MS });
  return fuzz.code === 0 ? null : verdictOf(fuzz);
}

/** @param {{ readonly code: number, readonly output: string }} failure */
function verdictOf({ code, output }) {
  return code === 124 ? "it does not end" : (output.split("\n")[0] ?? "");
}
