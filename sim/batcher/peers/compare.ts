import { readFileSync, writeFileSync } from "node:fs";
import { BASELINES } from "../baselines/index.js";
import { allCells, type Cell } from "../model/cells.js";
import { aligned } from "../report/report.js";
import type { Row } from "../run/row.js";
import { runCell } from "../run/run-cell.js";
import { recorded, type RecordedOutcome } from "./recorded.js";
import { type Trace, traceOf } from "./trace.js";

/** A trace that another implementation has replayed. */
interface Replayed {
  /** The name of the batcher, and of the baseline that stands for it here. */
  readonly policy: string;
  readonly cost: string;
  readonly arrivals: string;
  readonly outcomes: readonly RecordedOutcome[];
}

const SEED = 1;

/** Longer traces are left out. They are of cells in which the queue grows without end, and take minutes. */
const MAX_REQUESTS = 16_000;

/** How far a figure of a baseline may differ from the original's. */
const TOLERANCE = 0.1;

const FIGURES: readonly (readonly [title: string, figure: (row: Row) => number])[] = [
  ["per s", (row) => row.throughputPerSec],
  ["mean ms", (row) => row.meanMs],
  ["p50 ms", (row) => row.p50Ms],
  ["p99 ms", (row) => row.p99Ms],
];

/** Writes the requests of every cell that a server's batcher can serve. */
export function writeTraces(file: string, only: string): void {
  const traces: Trace[] = cellsFor(only).map((cell) => traceOf(cell, SEED));
  writeFileSync(file, JSON.stringify(traces.filter(({ arrivalsMs }) => arrivalsMs.length <= MAX_REQUESTS)));
}

/** Prints each baseline's figures beside the original's. Returns whether all are within the tolerance. */
export function comparePeers(file: string, only: string): boolean {
  const replays: Replayed[] = JSON.parse(readFileSync(file, "utf8"));
  const lines = cellsFor(only).flatMap((cell) =>
    replays
      .filter((each) => each.cost === cell.cost.name && each.arrivals === cell.arrivals)
      .map(({ policy, outcomes }) => compare(cell, policy, outcomes)),
  );
  const far = lines.filter(({ isNear }) => !isNear);
  const header = ["batcher", "cost", "arrivals", ...FIGURES.flatMap(([title]) => [title, "ours", "ratio"])];
  console.log(aligned([header, ...lines.map(({ texts }) => texts)]));
  console.log(`\n${lines.length - far.length} of ${lines.length} within ${100 * TOLERANCE} %.`);
  return far.length === 0;
}

/** The cells without what only a page has (hidden tabs, priorities), without items of mixed sizes and messages. */
function cellsFor(only: string): Cell[] {
  return allCells().filter(
    ({ cost, arrivals, extentsOf, priorityOf, visibility }) =>
      (cost.messageMs ?? extentsOf ?? priorityOf ?? visibility) === undefined &&
      `${cost.name} ${arrivals}`.includes(only),
  );
}

function compare(cell: Cell, policy: string, outcomes: readonly RecordedOutcome[]) {
  const baseline = BASELINES[policy];
  if (baseline === undefined) throw new Error(`expected the name of a baseline, got ${policy}`);
  const published = runCell(cell, 0, SEED, policy, recorded(outcomes));
  const ours = runCell(cell, 0, SEED, policy, baseline);
  const ratios = FIGURES.map(([, figure]) => figure(ours) / figure(published));
  return {
    texts: [
      policy,
      cell.cost.name,
      cell.arrivals,
      ...FIGURES.flatMap(([, figure], i) => [
        figure(published).toFixed(1),
        figure(ours).toFixed(1),
        (ratios[i] ?? NaN).toFixed(3),
      ]),
    ],
    isNear: ratios.every((ratio) => Math.abs(ratio - 1) <= TOLERANCE),
  };
}
