import type { Backend, Cell, Gap, PageReport, Row } from "../src/results.js";
import { cellName } from "../src/run/plan.js";
import type { PageRun } from "./visits/browser.js";
import type { Starts } from "./visits/first-predictions.js";
import { grouped } from "../src/ort/grouped.js";
import { poolPages, reportsOf } from "./results/pool.js";
import { failuresOf } from "./visits/problem.js";
import { FORMAT, type Report } from "./results/report.js";
import { judge } from "./results/targets.js";

/** The results of one backend. */
export interface Measured {
  readonly pages: readonly PageRun[];
  readonly starts: Starts;
}

/** What was asked for. */
interface Asked {
  readonly command: string;
  readonly seed: number;
  readonly only: string;
  readonly backends: readonly Backend[];
}

/** Creates the report of all backends. */
export function assemble(
  command: Asked,
  facts: Pick<Report, "date" | "machine">,
  measured: readonly Measured[],
): Report {
  const pages = measured.flatMap((each) => each.pages);
  const reports = reportsOf(pages);
  const { rows, ratios, standings } = poolPages(reports, command.seed);
  const micro = reports.slice(0, 1).flatMap((report) => report.micro);
  const starts = measured.flatMap((each) => each.starts.rows);
  return {
    format: FORMAT,
    ...facts,
    command: command.command,
    seed: command.seed,
    runs: runsOf(pages),
    targets: judge({ ratios, micro, rows, starts }),
    standings,
    rows,
    ratios,
    starts,
    curves: ofFirst(reports, ({ curves }) => curves),
    memory: ofFirst(reports, ({ memory }) => memory),
    micro,
    gaps: gapsOf(reports, rows),
    problems: [...problemsOf(measured), ...nothingOf(command, measured)],
  };
}

/** Returns one entry for each backend and site, with the properties of its first page and the number of its pages. */
function runsOf(pages: readonly PageRun[]): Report["runs"] {
  const measured = pages.flatMap(({ browser, flags, report }) => (report === null ? [] : { browser, flags, report }));
  return [...grouped(measured, ({ report }) => placeOf(report)).values()].flatMap((ofPlace) =>
    ofPlace.slice(0, 1).map(({ browser, flags, report: { backend, adapter, page } }) => {
      const site = page.crossOriginIsolated ? ("isolated" as const) : ("ordinary" as const);
      return { backend, site, pages: ofPlace.length, browser, flags, adapter, page };
    }),
  );
}

/** Returns what the first page of each backend and site reports; further pages repeat it. */
function ofFirst<Value>(reports: readonly PageReport[], pick: (report: PageReport) => readonly Value[]): Value[] {
  return [...grouped(reports, placeOf).values()].flatMap((ofPlace) => ofPlace.slice(0, 1).flatMap(pick));
}

function placeOf({ backend, page }: PageReport): string {
  return `${backend} ${page.crossOriginIsolated}`;
}

/** Returns the gaps of all pages in cells that none of them has measured, with the reason of the first. */
function gapsOf(reports: readonly PageReport[], rows: readonly Row[]): Gap[] {
  const nameOf = (cell: Cell): string => `${cell.site} ${cellName(cell)}`;
  const known = new Set(rows.map(nameOf));
  const gaps = grouped(
    reports.flatMap((report) => report.gaps),
    nameOf,
  );
  return [...gaps].flatMap(([name, ofCell]) => (known.has(name) ? [] : ofCell.slice(0, 1)));
}

/** Returns whether everything that the command selects was measured. A backend that the browser lacks may be missing. */
export function isComplete(command: Asked, measured: readonly Measured[]): boolean {
  const problems = measured.flatMap(({ pages }) => pages.flatMap(({ problem }) => problem ?? []));
  const hasFailed = failuresOf(problems, command.backends.length === 1).length > 0;
  const hasVisited = measured.every(({ starts }) => starts.problems.length === 0);
  return !hasFailed && hasVisited && nothingOf(command, measured).length === 0;
}

function problemsOf(measured: readonly Measured[]): string[] {
  return measured.flatMap(({ pages, starts }) => [
    ...pages.flatMap(({ problem }) => problem?.message ?? []),
    ...starts.problems,
  ]);
}

/** Returns a problem if nothing was measured although no page failed. */
function nothingOf({ only }: Asked, measured: readonly Measured[]): string[] {
  const reports = measured.flatMap(({ pages }) => reportsOf(pages));
  const isFound = reports.some(
    ({ groups, micro }) => micro.length > 0 || groups.some(({ slices }) => slices.length > 0),
  );
  if (isFound || measured.some(({ starts }) => starts.rows.length > 0) || problemsOf(measured).length > 0) return [];
  const hasGaps = reports.some(({ gaps }) => gaps.length > 0);
  const why = hasGaps ? 'the reasons are under "Not measured"' : `does the name of a cell contain "${only}"?`;
  return [`Nothing was measured: ${why}`];
}
