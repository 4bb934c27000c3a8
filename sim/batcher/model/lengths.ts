import { closedLoop, poisson } from "./arrivals.js";
import { BASELINES } from "../baselines/index.js";
import { cell, type Cell, mixedLength } from "./cells.js";
import { capacityPerMs, COSTS, type Cost } from "./costs.js";
import { framebatch } from "../ours.js";
import type { Policy } from "../policy.js";
import type { Random } from "./random.js";
import { aligned } from "../report/report.js";
import type { Row } from "../run/row.js";
import { runCell } from "../run/run-cell.js";
import { REFERENCE_VOLUME } from "../run/sim-request.js";

/** A distribution of item sizes. */
interface Spread {
  readonly name: string;
  readonly meanVolume: number;
  readonly draw: (random: Random) => readonly number[];
}

const MAX_BATCH_SIZE = 64;

const SPREADS: readonly Spread[] = [
  { name: "log-uniform 8 to 512", meanVolume: 504 / Math.log(64), draw: mixedLength },
  { name: "uniform 8 to 512", meanVolume: 260, draw: (random) => [8 + Math.floor(505 * random())] },
  {
    name: "two sizes, each 4 to 32",
    meanVolume: (28 / Math.log(8)) ** 2,
    draw: (random) => [side(random), side(random)],
  },
];

function side(random: Random): number {
  return Math.round(4 * 8 ** random());
}

/** A WASM model whose runs have a small fixed cost, a fast GPU, a slow GPU, and a model with a high cost per row. */
const LENGTH_COSTS = ["0.3+0.1n", "2+0.05n", "9+1n", "0.1+1n"];

/** The policy that batches first come, first served, whenever the worker is free; and framebatch. */
const FIRST_COME = "first come";
const LENGTH_POLICIES: Readonly<Record<string, Policy>> = {
  [FIRST_COME]: BASELINES["greedy"] ?? framebatch("idle"),
  idle: framebatch("idle"),
  frame: framebatch("frame"),
};

/**
 * Items of mixed sizes: at 30 % and 80 % of the rate that a device could serve without padding, and from 256 callers.
 */
export function lengthCells(): Cell[] {
  const costs = COSTS.filter(({ name }) => LENGTH_COSTS.includes(name));
  return SPREADS.flatMap((spread) => costs.flatMap((cost) => cellsOf(spread, cost)));
}

function cellsOf({ name, meanVolume, draw }: Spread, cost: Cost): Cell[] {
  const scaled: Cost = { name: cost.name, ms: (rows) => cost.ms((rows * meanVolume) / REFERENCE_VOLUME) };
  const perMs = capacityPerMs(scaled, MAX_BATCH_SIZE);
  const make = (load: string, start: Cell["start"], rate: number): Cell => ({
    ...cell(scaled, `${name}, ${load}`, start, rate, MAX_BATCH_SIZE),
    cost,
    extentsOf: draw,
  });
  return [
    make("load 30 %", poisson(0.3 * perMs), 0.3 * perMs),
    make("load 80 %", poisson(0.8 * perMs), 0.8 * perMs),
    make("256 callers", closedLoop(256), perMs),
  ];
}

/** Runs every policy in every one of these cells. */
export function runLengths(cells: readonly Cell[], seed: number, names = Object.keys(LENGTH_POLICIES)): Row[] {
  const policies = Object.entries(LENGTH_POLICIES).filter(([name]) => names.includes(name));
  return cells.flatMap((each) => policies.map(([name, policy]) => runCell(each, 0.1, seed, name, policy)));
}

/**
 * Prints the padding waste of each policy and its effect on latency and throughput. Returns whether all limits are met.
 */
export function showLengths(): boolean {
  const rows = runLengths(lengthCells(), 1);
  const lines = rows.map((row) => [
    row.policy === FIRST_COME ? `${row.arrivals}, ${row.cost}` : "",
    row.policy,
    (100 * row.paddingWaste).toFixed(1),
    row.meanBatchSize.toFixed(1),
    row.p50Ms.toFixed(1),
    row.p99Ms.toFixed(1),
    row.throughputPerSec.toFixed(0),
  ]);
  console.log(
    aligned([["items, load, cost", "policy", "waste %", "mean size", "p50 ms", "p99 ms", "per s"], ...lines]),
  );
  const lost = rows.flatMap((row) => faultsOf(row, rows));
  console.log(lost.length === 0 ? "\nAll limits are met." : `\n${lost.join("\n")}`);
  return lost.length === 0;
}

/** The maximum share of padding under load. Applies to the costs in `CHEAP_RUNS`, where another run costs little. */
const MAX_WASTE = 0.16;

/** The costs that the limit applies to. With a larger fixed cost, padding is cheaper than another run. */
const CHEAP_RUNS = ["0.3+0.1n", "0.1+1n", "9+1n"];

function faultsOf(row: Row, rows: readonly Row[]): string[] {
  const firstCome = rows.find(
    ({ policy, arrivals, cost }) => policy === FIRST_COME && arrivals === row.arrivals && cost === row.cost,
  );
  if (firstCome === undefined || row === firstCome) return [];
  const isLoaded = !row.arrivals.endsWith("load 30 %");
  const isOneSize = row.arrivals.includes("8 to 512");
  const faults = [
    isLoaded && isOneSize && CHEAP_RUNS.includes(row.cost) && row.paddingWaste > MAX_WASTE && "too much padding",
    row.throughputPerSec < 0.98 * firstCome.throughputPerSec && "less throughput than first come",
    row.p50Ms > firstCome.p50Ms && isLoaded && "longer waits than first come",
    row.policy === "idle" && !row.arrivals.endsWith("callers") && row.p99Ms > 1.05 * firstCome.p99Ms && "worse p99",
  ];
  return faults
    .filter((fault) => fault !== false)
    .map((fault) => `${row.arrivals}, ${row.cost}, ${row.policy}: ${fault}`);
}
