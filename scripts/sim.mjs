// Bundles a simulator in packages/*/sim and runs it in Node. Passes the arguments on; `npm run sim --
// --help` lists them.
import path from "node:path";
import process from "node:process";
import { MUTANTS } from "../packages/batcher/sim/mutants.mjs";
import { MUTANTS as MUTANTS_OF_PIPELINES } from "../packages/pipelines/sim/mutants.mjs";
import { editCore } from "./edited-core.mjs";
import { bundleSimulator, runSimulator } from "./simulator.mjs";
import { ensureInstalled, main, Problem, withTemporaryFolder } from "./workspace.mjs";

/** The number of seeds within which the simulator must detect every planted bug. */
const MUTANT_SEEDS = 1000;
/** The time limit of a run: a planted bug may cause an endless loop, which counts as detected. */
const MUTANT_LIMIT_MS = 30_000;
/** The same for pipelines. Their scenarios await promises, and take far longer. */
const PIPELINES_LIMIT_MS = 180_000;

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
  await bundleSimulator(outfile, [], ownerOf(process.argv));
  const { code } = await runSimulator(outfile, process.argv.slice(2), {});
  process.exitCode = code;
}

/** Returns the package whose simulator the arguments ask for. @param {readonly string[]} args */
function ownerOf(args) {
  if (args.includes("--fuzz-pipelines")) return "pipelines";
  return args.includes("--overflow") ? "remote" : "batcher";
}

/**
 * Checks the invariants: the core must satisfy all of them, and with each planted bug it must violate one.
 *
 * @param {string} outfile
 */
async function runMutants(outfile) {
  await bundleSimulator(outfile, []);
  const own = await examine(outfile);
  await bundleSimulator(outfile, [], "pipelines");
  const fault = own ?? (await examinePipelines(outfile));
  if (fault !== null) throw new Problem(`The core fails without a planted bug: ${fault}`);
  let caught = 0;
  const all = [...MUTANTS, ...MUTANTS_OF_PIPELINES];
  for (const mutant of all) {
    const isOfPipelines = MUTANTS_OF_PIPELINES.includes(mutant);
    await bundleSimulator(outfile, [editCore([mutant])], isOfPipelines ? "pipelines" : "batcher");
    const verdict = await (isOfPipelines ? examinePipelines(outfile) : examine(outfile));
    if (verdict !== null) caught++;
    console.log(
      `${verdict === null ? "NOT CAUGHT" : "caught"}  ${mutant.name}${verdict === null ? "" : ` (${verdict})`}`,
    );
  }
  console.log(
    `\n${caught} of ${all.length} planted bugs were caught, within ${MUTANT_SEEDS} seeds each or by --lengths.`,
  );
  if (caught < all.length) process.exitCode = 1;
}

/**
 * Checks a bundle: first the invariants, then items of mixed sizes, which is slower. Returns the first fault, or
 * `null`.
 *
 * @param {string} outfile
 */
async function examine(outfile) {
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
