// Replays the simulator's traces on published batchers from PyPI, and compares them with the simulator's baselines of
// the same name. Needs python3 with venv; the packages go into .servers/peers.
import path from "node:path";
import process from "node:process";
import { readArguments } from "./arguments.mjs";
import { binOf, installPython } from "./python-environment.mjs";
import { bundleSimulator, runSimulator } from "./simulator.mjs";
import { ensureInstalled, main, Problem, root, run, withTemporaryFolder } from "./workspace.mjs";

const USAGE = `Usage: npm run measure peers -- [options]
  Needs python3 with venv, and a network at first; without one, only the replay itself is checked.
  --only TEXT   only cells whose "cost arrivals" holds TEXT
  --all         every cell (ten minutes) instead of those with a cost of 9+1n`;

const FOLDER = path.join(root, "scripts", "peers");

/** Needs no package. It checks the replay itself: a difference to the simulator's \`greedy\` is a fault of the replay. */
const CONTROL = "greedy";
const PUBLISHED = ["batched", "bentoml"];

await main(async () => {
  const options = /** @type {const} */ ({ only: { type: "string" }, all: { type: "boolean", default: false } });
  const only = readArguments(USAGE, { options }, ({ values }) => ["--only", values.only ?? (values.all ? "" : "9+1n")]);
  await ensureInstalled();
  const [python, names] = await installed();
  await withTemporaryFolder(async (folder) => {
    const [simulator, traces, outcomes] = ["sim.mjs", "traces.json", "outcomes.json"].map((name) =>
      path.join(folder, name),
    );
    await bundleSimulator(simulator);
    await succeed(runSimulator(simulator, ["--traces", traces, ...only]));
    await succeed(run(python, [path.join(FOLDER, "replay.py"), traces, outcomes, ...names]));
    process.exitCode = (await runSimulator(simulator, ["--outcomes", outcomes, ...only])).code;
  });
});

/** Installs the published batchers. Returns a Python and the batchers that it can run. */
async function installed() {
  try {
    await installPython("peers", path.join(FOLDER, "requirements.txt"));
    return /** @type {const} */ ([path.join(binOf("peers"), "python"), [CONTROL, ...PUBLISHED]]);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    console.log(`${error.message}\nSkipped: ${PUBLISHED.join(", ")}. Only ${CONTROL}, the control, is compared.`);
    return /** @type {const} */ (["python3", [CONTROL]]);
  }
}

/** @param {ReturnType<typeof run>} running */
async function succeed(running) {
  const { code } = await running;
  if (code !== 0) throw new Problem(`A step failed with exit code ${code}.`);
}
