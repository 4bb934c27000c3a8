import { parseArgs } from "node:util";
import process from "node:process";

import { runPipelineFuzz } from "./fuzz-pipelines.js";

// Each refusal is an error, and most of an error's cost is its stack trace, which the simulator does not use.
Error.stackTraceLimit = 0;

const { values } = parseArgs({
  options: {
    "fuzz-pipelines": { type: "string", default: "1000" },
    seed: { type: "string", default: "1" },
  },
});

process.exitCode = (await runPipelineFuzz(Number(values.seed), Number(values["fuzz-pipelines"]))) ? 0 : 1;
