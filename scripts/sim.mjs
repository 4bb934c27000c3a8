// Checks the arguments, bundles the simulator in sim/batcher, and runs it in Node.
import path from "node:path";
import process from "node:process";
import { MUTANTS } from "../sim/batcher/mutants.mjs";
import { existing, readArguments, wholeNumber } from "./arguments.mjs";
import { editCore } from "./edited-core.mjs";
import { bundleSimulator, runSimulator, usageOf } from "./simulator.mjs";
import { ensureInstalled, main, Problem, withTemporaryFolder } from "./workspace.mjs";

/** The number of seeds within which the simulator must detect every planted bug. */
const MUTANT_SEEDS = 1000;
/** The time limit of a run: a planted bug may cause an endless loop, which counts as detected. */
const MUTANT_LIMIT_MS = 30_000;

const TEXT = /** @type {const} */ ({ type: "string" });
const SWITCH = /** @type {const} */ ({ type: "boolean" });

/** The options of each program. */
const OPTIONS = {
  mutants: { mutants: SWITCH },
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
const NUMBERS = { seeds: 1, fuzz: 1, seed: 0 };
const FILES = ["reuse", "against", "browser", "outcomes"];

await main(async () => {
  const program = fromArguments();
  await ensureInstalled();
  await withTemporaryFolder(async (folder) => {
    const outfile = path.join(folder, "sim.mjs");
    if (program === "mutants") await runMutants(outfile);
    else await simulate(outfile);
  });
});

/** Checks the arguments. Returns the program that they ask for. */
function fromArguments() {
  const program = process.argv.includes("--mutants") ? "mutants" : "batcher";
  readArguments(usageOf("batcher"), { options: OPTIONS[program] }, ({ values }) => {
    for (const [name, text] of Object.entries(values)) {
      if (name in NUMBERS) wholeNumber(`--${name}`, String(text), { least: NUMBERS[name] });
      if (FILES.includes(name)) existing(`--${name}`, String(text));
    }
  });
  return program;
}

/** @param {string} outfile */
async function simulate(outfile) {
  await bundleSimulator(outfile);
  const { code } = await runSimulator(outfile, process.argv.slice(2), {});
  process.exitCode = code;
}

/**
 * Checks the invariants: the core must satisfy all of them, and with each planted bug it must violate one.
 *
 * @param {string} outfile
 */
async function runMutants(outfile) {
  await bundleSimulator(outfile);
  const fault = await examine(outfile);
  if (fault !== null) throw new Problem(`The core fails without a planted bug: ${fault}`);
  let caught = 0;
  for (const mutant of MUTANTS) {
    await bundleSimulator(outfile, [editCore([mutant])]);
    const verdict = await examine(outfile);
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
 */
async function examine(outfile) {
  const fuzz = await runSimulator(outfile, ["--fuzz", String(MUTANT_SEEDS)], { quiet: true, limitMs: MUTANT_LIMIT_MS });
  if (fuzz.code !== 0) return verdictOf(fuzz);
  const lengths = await runSimulator(outfile, ["--lengths"], { quiet: true });
  return lengths.code === 0 ? null : (lengths.output.trimEnd().split("\n").at(-1) ?? "");
}

/** @param {{ readonly code: number, readonly output: string }} failure */
function verdictOf({ code, output }) {
  return code === 124 ? "it does not end" : (output.split("\n")[0] ?? "");
}
