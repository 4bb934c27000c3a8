import { COSTS } from "../model/costs.js";
import { type OverflowCase, simulateOverflow } from "./overflow.js";

const LOADS = [1.3, 2];
const ROUND_TRIPS_MS = [20, 60];
const SHOWN_COSTS = ["8+0.05n", "0.1+1n", "2+6n"];

/** The lanes: how the table names them, and what differs. */
const LANES: Readonly<Record<string, Pick<OverflowCase, "preferred" | "fails">>> = {
  "device alone": { preferred: null, fails: false },
  "prefer-on-device": { preferred: "device", fails: false },
  "prefer-in-cloud": { preferred: "server", fails: false },
  "prefer-on-device, server down 1 s in 5": { preferred: "device", fails: true },
  "prefer-in-cloud, server down 1 s in 5": { preferred: "server", fails: true },
};

/** Prints the share of requests that are answered in time, with and without a server, as a table in Markdown. */
export function showOverflow(seeds: number): void {
  console.log(`| Cost, load, round trip | ${Object.keys(LANES).join(" | ")} |`);
  console.log(`| ${Array.from({ length: Object.keys(LANES).length + 1 }, () => "---").join(" | ")} |`);
  for (const cost of COSTS.filter(({ name }) => SHOWN_COSTS.includes(name))) {
    for (const load of LOADS) {
      for (const roundTripMs of ROUND_TRIPS_MS) {
        const cells = Object.values(LANES).map((lane) => cellOf({ cost, load, roundTripMs, ...lane }, seeds));
        console.log(`| ${cost.name}, ${load}, ${roundTripMs} ms | ${cells.join(" | ")} |`);
      }
    }
  }
}

/** The mean over the seeds, and the share of answers from the server in parentheses. */
function cellOf(lane: Omit<OverflowCase, "seed">, seeds: number): string {
  const results = Array.from({ length: seeds }, (_, index) => simulateOverflow({ ...lane, seed: index + 1 }));
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const goodput = mean(results.map((result) => result.goodput));
  const fromServer = mean(results.map((result) => result.fromServer));
  return lane.preferred === null ? goodput.toFixed(3) : `${goodput.toFixed(3)} (${fromServer.toFixed(2)})`;
}
