import { readFileSync } from "node:fs";
import { type Cell, closedCell, isolatedBurstCell } from "../model/cells.js";
import { type Cost, type PageCost, table } from "../model/costs.js";
import { framebatch } from "../ours.js";
import { aligned } from "../report/report.js";
import type { Row } from "./row.js";
import { runCell } from "./run-cell.js";

/** What a page runs at most in one batch by default. */
const MAX_BATCH_SIZE = 256;
const NOISE = 0.1;
const SEEDS = [1, 2, 3];

/** What `scripts/page-costs.mjs` has measured of a model in a browser. */
interface MeasuredModel {
  readonly name: string;
  /** Time of a run by its number of rows, in milliseconds. */
  readonly times: readonly (readonly [rows: number, ms: number])[];
  readonly page: PageCost;
  readonly messageMs: number;
  readonly cells: readonly MeasuredCell[];
}

/** A load on the page. Times are in milliseconds. */
interface MeasuredCell {
  /** `closed N` or `isolated burst N`, as the simulator names them. */
  readonly load: string;
  readonly answers: number;
  readonly batches: number;
  readonly perSec: number;
  readonly p50Ms: number;
  readonly meanMs: number;
  readonly firstMs: number;
}

/** The figures that both have, of a measured cell and of a simulated one. */
const FIGURES: readonly (readonly [
  title: string,
  measured: (cell: MeasuredCell) => number,
  ours: (row: Row) => number,
])[] = [
  ["per s", (cell) => cell.perSec, (row) => row.throughputPerSec],
  ["p50 ms", (cell) => cell.p50Ms, (row) => row.p50Ms],
  ["mean ms", (cell) => cell.meanMs, (row) => row.meanMs],
  ["first ms", (cell) => cell.firstMs, (row) => row.firstAnswerMs],
  ["size", (cell) => cell.answers / cell.batches, (row) => row.meanBatchSize],
];

/** Prints the figures of a browser beside those of the simulator: measured, simulated, and their ratio. */
export function compareWithBrowser(file: string): void {
  const { models }: { models: readonly MeasuredModel[] } = JSON.parse(readFileSync(file, "utf8"));
  const header = ["model", "load", ...FIGURES.flatMap(([title]) => [title, "simulated", "ratio"])];
  console.log(aligned([header, ...models.flatMap((model) => model.cells.map((cell) => lineOf(model, cell)))]));
}

function lineOf(model: MeasuredModel, measured: MeasuredCell): string[] {
  const cell = cellOf(model, measured.load);
  const rows = SEEDS.map((seed) => runCell(cell, NOISE, seed, "frame", framebatch("frame")));
  const figures = FIGURES.flatMap(([title, ofBrowser, ofRow]) => {
    // A page measures bursts by the time of their answers; how many it makes a second is the load's own.
    if (title === "per s" && !measured.load.startsWith("closed")) return ["", "", ""];
    const simulated = rows.reduce((sum, row) => sum + ofRow(row), 0) / rows.length;
    return [ofBrowser(measured), simulated, simulated / ofBrowser(measured)].map((value) => value.toPrecision(3));
  });
  return [model.name, measured.load, ...figures];
}

function cellOf({ name, times, page, messageMs }: MeasuredModel, load: string): Cell {
  const cost: Cost = { ...table(name, times), page, messageMs };
  const count = Number(load.split(" ").at(-1));
  const cell = load.startsWith("closed") ? closedCell(cost, count) : isolatedBurstCell(cost, count);
  return { ...cell, maxBatchSize: MAX_BATCH_SIZE };
}
