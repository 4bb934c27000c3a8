import { parseArgs } from "node:util";

import { showOverflow } from "./overflow-table.js";

// Each refusal is an error, and most of an error's cost is its stack trace, which the simulator does not use.
Error.stackTraceLimit = 0;

const { values } = parseArgs({
  options: {
    overflow: { type: "boolean", default: true },
    seeds: { type: "string", default: "3" },
  },
});

showOverflow(Number(values.seeds));
