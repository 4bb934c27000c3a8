import type { Cell, Gap, GroupName, Row, Standing } from "../../src/results.js";
import { medianWithInterval, quantileWithInterval, type Estimate } from "../../src/statistics/bootstrap.js";
import { median } from "../../src/statistics/quantile.js";
import { seededRandom, type Random } from "../../src/statistics/random.js";
import { allOf, type Pooled } from "../results/compared-figure.js";
import { grouped } from "../../src/ort/grouped.js";
import { figuresOf } from "../results/ratios.js";
import type { Machine } from "../results/report.js";
import { rowOf } from "../results/row.js";
import { judge } from "../results/standings.js";
import { inOrder } from "./lane-names.js";
import type { PageSlice } from "./page-slice.js";
import { KEY_P75, KEY_P98, PAGE_PROMISES } from "./promises.js";

/** The report of `npm run bench -- --page`. apps/bench/README.md describes each field. */
export interface PageSuiteReport extends PageRunFacts {
  /** The version. It increases when the meaning of a field changes. */
  readonly format: 2;
  readonly rows: readonly PageRow[];
  readonly standings: readonly Standing[];
}

export interface PageRunFacts {
  /** ISO 8601, UTC. */
  readonly date: string;
  readonly command: string;
  readonly seed: number;
  readonly machine: Machine;
  readonly browser: string;
  readonly gaps: readonly Gap[];
}

/** A cell, and what the user of the page feels of it. */
export interface PageRow extends Row {
  /** Number of keystrokes behind the next two. */
  readonly keystrokes: number;
  /** From a keystroke to the frame that shows it, in ms. */
  readonly keyP75Ms: Estimate;
  readonly keyP98Ms: Estimate;
  /** The longest main-thread task of all slices, in ms; 0 if none took over 50 ms. */
  readonly longestTaskMs: number;
  /** Memory of the page's process after the load, in bytes; `null` if unknown. */
  readonly memoryBytes: Estimate | null;
}

/** A cell on one page of it. The pages of all lanes with the same turn are compared with one another. */
export interface MeasuredSlice {
  readonly cell: Cell;
  readonly turn: number;
  readonly timerResolutionMs: number;
  readonly slice: PageSlice;
}

/** Computes the figures of all cells, and compares framebatch with the best of the others. */
export function reportOf(measured: readonly MeasuredSlice[], facts: PageRunFacts): PageSuiteReport {
  const random = seededRandom(facts.seed);
  const groups = [...grouped(measured, ({ cell }) => groupName(cell)).values()];
  return {
    format: 2,
    ...facts,
    rows: groups.flatMap((ofGroup) => inOrder(rowsOf(ofGroup, random))),
    standings: groups.flatMap((ofGroup) => standingsOfGroup(ofGroup, random)),
  };
}

function groupName({ model, backend, site, load }: GroupName): string {
  return `${model} ${backend} ${site} ${load}`;
}

function rowsOf(group: readonly MeasuredSlice[], random: Random): PageRow[] {
  const pagesByLane = byLane(group);
  return group
    .filter(({ cell }, index) => group.findIndex((other) => other.cell.lane === cell.lane) === index)
    .map(({ cell, timerResolutionMs }) => pageRowOf(cell, pagesByLane.get(cell.lane) ?? [], timerResolutionMs, random));
}

function pageRowOf(
  cell: Cell,
  pages: readonly (readonly PageSlice[])[],
  timerResolutionMs: number,
  random: Random,
): PageRow {
  const keys = (figure: Pooled<PageSlice>): Estimate =>
    quantileWithInterval(allOf(figure, pages), figure.share, random);
  const bytes = figuresOf(pages, ({ memoryBytes }) => memoryBytes);
  return {
    ...rowOf(cell, pages, { adapter: null, timerResolutionMs, random }),
    keystrokes: allOf(KEY_P75, pages).flat().length,
    keyP75Ms: keys(KEY_P75),
    keyP98Ms: keys(KEY_P98),
    longestTaskMs: Math.max(...pages.flat().map(({ longestTaskMs }) => longestTaskMs)),
    memoryBytes: Number.isNaN(median(bytes.flat())) ? null : medianWithInterval(bytes, random),
  };
}

function standingsOfGroup(group: readonly MeasuredSlice[], random: Random): Standing[] {
  return group.slice(0, 1).flatMap(({ cell }) => judge(PAGE_PROMISES, cell, byLane(group), random));
}

/** Returns the slices of each lane by turn, so that those at the same index are compared. */
function byLane(group: readonly MeasuredSlice[]): ReadonlyMap<string, readonly (readonly PageSlice[])[]> {
  const turns = [...new Set(group.map(({ turn }) => turn))];
  const lanes = grouped(group, ({ cell }) => cell.lane);
  const ofTurn = (lane: readonly MeasuredSlice[], wanted: number) =>
    lane.filter(({ turn }) => turn === wanted).map(({ slice }) => slice);
  return new Map([...lanes].map(([name, lane]) => [name, turns.map((turn) => ofTurn(lane, turn))]));
}
