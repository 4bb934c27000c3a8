import process from "node:process";
import { parseArgs } from "node:util";

import { runFuzz } from "./fuzz/report.js";
import { showLengths } from "./model/lengths.js";
import { showOverflow } from "./overflow/overflow-table.js";
import { comparePeers, writeTraces } from "./peers/compare.js";
import { compareWithBrowser } from "./run/browser-cells.js";
import { simulate } from "./run/simulate.js";

const HELP = `npm run measure sim -- [options]
  --only TEXT    only cells and policies whose "cost arrivals policy" holds TEXT
  --seeds N      seeds per cell (3)
  --json FILE    write every row
  --svg FILE     draw the frontier of frames to paint against device time
  --reuse FILE   take the baselines' rows from a file that --json wrote
  --against FILE show what became worse than in a file that --json wrote
  --brief        print the summary alone
  --lengths      items of mixed sizes: what padding wastes, here and for first-come batches
  --overflow     answers in time at 1.3 and 2 times what the device can answer, with and without a server
  --browser FILE figures that npm run measure page-costs has measured in a browser, beside simulated ones
  --traces FILE  write the requests of cells, for npm run measure peers
  --outcomes FILE  compare how they ended elsewhere with the baseline of the same name
  --fuzz N       run N random scenarios against the invariants instead
  --seed S       the first of their seeds (1)
  --mutants      show that each of the planted bugs is caught`;

// Each refusal is an error, and most of an error's cost is its stack trace, which the simulator does not use.
Error.stackTraceLimit = 0;

const { values } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    seeds: { type: "string", default: "3" },
    json: { type: "string" },
    svg: { type: "string" },
    reuse: { type: "string" },
    against: { type: "string" },
    brief: { type: "boolean", default: false },
    lengths: { type: "boolean", default: false },
    overflow: { type: "boolean", default: false },
    browser: { type: "string" },
    traces: { type: "string" },
    outcomes: { type: "string" },
    fuzz: { type: "string" },
    seed: { type: "string", default: "1" },
    help: { type: "boolean", default: false },
  },
});

if (values.help) console.log(HELP);
else if (values.fuzz !== undefined) process.exitCode = runFuzz(Number(values.seed), Number(values.fuzz)) ? 0 : 1;
else if (values.browser !== undefined) compareWithBrowser(values.browser);
else if (values.traces !== undefined) writeTraces(values.traces, values.only);
else if (values.outcomes !== undefined) process.exitCode = comparePeers(values.outcomes, values.only) ? 0 : 1;
else if (values.overflow) showOverflow(Number(values.seeds));
else if (values.lengths) process.exitCode = showLengths() ? 0 : 1;
else simulate({ ...values, seeds: Number(values.seeds) });
