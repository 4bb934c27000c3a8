// Checks the arguments, bundles a simulator in sim, and runs it in Node.
import path from "node:path";
import process from "node:process";
import { MUTANTS } from "../sim/batcher/mutants.mjs";
import { MUTANTS as MUTANTS_OF_PIPELINES } from "../sim/pipelines/mutants.mjs";
import { existing, readArguments, wholeNumber } from "./arguments.mjs";
import { editCore } from "./edited-core.mjs";
import { bundleSimulator, runSimulator, usageOf } from "./simulator.mjs";
import { ensureInstalled, main, Problem, withTemporaryFolder } from "./workspace.mjs";

/** The number of seeds within which the simulator must detect every planted bug. */
const MUTANT_SEEDS = 1000;
/** The time limit of a run: a planted bug may cause an endless loop, which counts as detected. */
const MUTANT_LIMIT_MS = 30_000;
/** The same for pipelines. Their scenarios await promises, and take far longer. */
const PIPELINES_LIMIT_MS = 180_000;

const TEXT = /** @type {const} */ ({ type: "string" });
const SWITCH = /** @type {const} */ ({ type: "boolean" });

/** The options of each program. */
const OPTIONS = {
  mutants: { mutants: SWITCH },
  pipelines: { "fuzz-pipelines": TEXT, seed: TEXT },
  batcher: {
    only: TEXT,
    seeds: TEXT,
    json: TEXT,
    svg: TEXT,
    reuse: TEXT,
    against: TEXT,
    brief: SWITCH,
    lengths: SWITCH,
    overflow: SWITCH,
    browser: TEXT,
    traces: TEXT,
    outcomes: TEXT,
    fuzz: TEXT,
    seed: TEXT,
  },
};
/** The options that are numbers, with their minima, and those that name files to read. */
const NUMBERS = { seeds: 1, fuzz: 1, "fuzz-pipelines": 1, seed: 0 };
const FILES = ["reuse", "against", "browser", "outcomes"];

await main(async () => {
  const program = fromArguments();
  await ensureInstalled();
  await withTemporaryFolder(async (folder) => {
    const outfile = path.join(folder, "sim.mjs");
    if (program === "mutants") await runMutants(outfile);
    else await simulate(outfile, program);
  });
});

/** Checks the arguments. Returns the program that they ask for. */
function fromArguments() {
  const program = programOf(process.argv);
  readArguments(usageOf("batcher"), { options: OPTIONS[program] }, ({ values }) => {
    for (const [name, text] of Object.entries(values)) {
      if (name in NUMBERS) wholeNumber(`--${name}`, String(text), { least: NUMBERS[name] });
      if (FILES.includes(name)) existing(`--${name}`, String(text));
    }
  });
  return program;
}

/**
 * @param {string} outfile
 * @param {"batcher" | "pipelines"} owner
 */
async function simulate(outfile, owner) {
  await bundleSimulator(outfile, [], owner);
  const { code } = await runSimulator(outfile, process.argv.slice(2), {});
  process.exitCode = code;
}

/** @param {readonly string[]} args */
function programOf(args) {
  if (args.includes("--mutants")) return "mutants";
  return args.some((arg) => arg.startsWith("--fuzz-pipelines")) ? "pipelines" : "batcher";
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
