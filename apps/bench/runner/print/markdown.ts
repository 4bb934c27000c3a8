import type { MemoryRow, MicroRow, Ratio, Row, StartRow } from "../../src/results.js";
import type { Change } from "../results/compare.js";
import { figure, percent, withInterval } from "./numbers.js";
import type { BrowserRun, Report } from "../results/report.js";
import { standingsSections } from "./standings-tables.js";
import { oneLine, section, table } from "./tables.js";

/** Creates the report as Markdown. */
export function toMarkdown(report: Report): string {
  return [
    `# framebatch benchmark, ${report.date}`,
    facts(report),
    ...report.problems.map((problem) => `**${oneLine(problem)}**`),
    ...section("Targets", targetsTable(report)),
    ...report.runs.flatMap((run) =>
      section(
        titleOf(run),
        rowsTable(report.rows.filter(({ backend, site }) => backend === run.backend && site === run.site)),
      ),
    ),
    ...section("Ratios, paired by round", ratiosTable(report.ratios)),
    ...section("Time to the first prediction", startsTable(report.starts)),
    ...section("Memory", memoryTable(report.memory)),
    ...section("Main thread, batcher alone", microTable(report.micro)),
    ...standingsSections(report.standings),
    ...section("Not measured", gapsTable(report)),
    NOTES,
  ].join("\n\n");
}

const NOTES = `Medians over slices; in brackets 95 % bootstrap intervals. Lanes take turns within each page, in another order each round, so
ratios are of like with like; intervals contain the differences between pages; absolute times are of this machine and this moment. \`≥\`: lower bound, since the callers did not get round twice
in a slice. \`~\`: too short for the browser's timer. The fields and the method: apps/bench/README.md.
`;

function facts({ machine, runs, command, seed }: Report): string {
  const lines = [
    `Command: \`${command}\`, seed ${seed}`,
    `Machine: ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, ${machine.os}, Node ${machine.node}`,
    ...runs.map(({ backend, browser, adapter, pages, page }) => {
      const timer = `timer ${figure(page.timerResolutionMs * 1000)} µs`;
      const frames = `frame ${figure(page.framePeriodMs)} ms`;
      const callers = `callers cost ${figure(page.callerUsPerPrediction)} µs a call`;
      const isolation = page.crossOriginIsolated ? "cross-origin isolated" : "not cross-origin isolated";
      return `${backend}: ${pages} pages, ${browser}, ${adapter ?? "no GPU"}, ${isolation}, ${timer}, ${frames}, ${callers}`;
    }),
  ];
  return lines.map((line) => `- ${line}`).join("\n");
}

function titleOf({ backend, site, adapter }: BrowserRun): string {
  return `${adapter === null ? backend.toUpperCase() : `WebGPU: ${adapter}`}, ${site} site`;
}

/** A column: its heading, and the cell for a row. */
type Column = readonly [head: string, cell: (row: Row) => string];

const COLUMNS: readonly Column[] = [
  ["model", ({ model }) => model],
  ["load", ({ load }) => load],
  ["lane", ({ lane }) => lane],
  ["per s", ({ throughputPerSec }) => figure(throughputPerSec)],
  ["p50 ms", (row) => latency(row, row.p50Ms)],
  ["p95 ms", (row) => latency(row, row.p95Ms)],
  ["p99 ms", (row) => latency(row, row.p99Ms)],
  ["mean ms", (row) => latency(row, row.meanMs)],
  ["first ms", ({ firstAnswerMs }) => figure(firstAnswerMs)],
  ["last ms", ({ lastAnswerMs }) => figure(lastAnswerMs)],
  ["frames to paint", ({ framesToPaint }) => figure(framesToPaint)],
  ["dropped frames/s", ({ droppedFramesPerSec }) => figure(droppedFramesPerSec)],
  ["long tasks/s", ({ longTasksPerSec }) => figure(longTasksPerSec)],
  ["main thread µs", ({ mainThreadUsPerPrediction }) => figure(mainThreadUsPerPrediction)],
  ["busy", ({ busyShare }) => percent(busyShare)],
  ["mean batch", ({ meanBatchSize }) => figure(meanBatchSize)],
  ["padding", ({ paddingWaste }) => percent(paddingWaste)],
  ["samples", ({ samples }) => figure(samples)],
];

function rowsTable(rows: readonly Row[]): string | null {
  return table(
    COLUMNS.map(([head]) => head),
    rows.map((row) => COLUMNS.map(([, cell]) => cell(row))),
  );
}

function latency(row: Row, valueMs: number | null): string {
  if (valueMs === null) return figure(null);
  const mark = row.latencyIsLowerBound ? "≥ " : row.latencyIsCoarse ? "~ " : "";
  return mark + figure(valueMs);
}

function ratiosTable(ratios: readonly Ratio[]): string | null {
  return table(
    ["model", "backend", "site", "load", "lane", "over", "throughput", "p50", "pages", "rounds"],
    ratios.map(({ model, backend, site, load, lane, over, throughput, p50, pages, rounds }) => [
      model,
      backend,
      site,
      load,
      lane,
      over,
      withInterval(throughput, "×"),
      withInterval(p50, "×"),
      String(pages),
      String(rounds),
    ]),
  );
}

function targetsTable({ targets }: Report): string | null {
  return table(
    ["", "claim", "cell", "wanted", "measured"],
    targets.map(({ isMet, isClear, claim, what, wanted, estimate }) => [
      `${isMet ? "met" : "MISSED"}${isClear ? "" : ", within noise"}`,
      claim,
      what,
      wanted,
      withInterval(estimate, ""),
    ]),
  );
}

function startsTable(starts: readonly StartRow[]): string | null {
  return table(
    ["model", "backend", "lane", "visit", "ms", "over bare, first visit", "kB over the network", "samples"],
    starts.map(({ model, backend, lane, visit, firstPredictionMs, overBareFirst, networkBytes, samples }) => [
      model,
      backend,
      lane,
      visit,
      withInterval(firstPredictionMs, ""),
      withInterval(overBareFirst, "×"),
      figure(networkBytes / 1000),
      String(samples),
    ]),
  );
}

function memoryTable(rows: readonly MemoryRow[]): string | null {
  const megabytes = (bytes: number | null): string => figure(bytes === null ? null : bytes / 1e6);
  return table(
    ["model", "backend", "site", "lane", "MB added by opening it", "workers counted", "MB of WASM memory at the end"],
    rows.map(({ model, backend, site, lane, addedBytes, hasWorkers, wasmBytes }) => [
      model,
      backend,
      site,
      lane,
      megabytes(addedBytes),
      hasWorkers ? "yes" : "no",
      megabytes(wasmBytes),
    ]),
  );
}

/** Creates the Markdown of the differences from an earlier run. */
export function changesTable(earlierDate: string, changes: readonly Change[]): string {
  const title = `## Changes since ${earlierDate}, beyond noise`;
  const lines = table(
    ["", "cell", "of what", "before", "now"],
    changes.map(({ isWorse, cell, what, before, after }) => [
      isWorse ? "SLOWER" : "faster",
      cell,
      what,
      withInterval(before, "×"),
      withInterval(after, "×"),
    ]),
  );
  return `${title}\n\n${lines ?? "None."}`;
}

function microTable(rows: readonly MicroRow[]): string | null {
  return table(
    ["cost", "burst", "µs a request", "samples"],
    rows.map(({ name, burst, usPerRequest, samples }) => [
      name,
      String(burst),
      withInterval(usPerRequest, ""),
      String(samples),
    ]),
  );
}

/** Groups the lanes of one model, backend and load with the same reason on one line. */
function gapsTable({ gaps }: Report): string | null {
  const lines = new Map<string, { readonly cells: readonly string[]; readonly lanes: string[] }>();
  for (const { model, backend, site, load, lane, reason } of gaps) {
    const cells = [model, backend, site, load, reason];
    const line = lines.get(cells.join("|")) ?? { cells, lanes: [] };
    line.lanes.push(lane);
    lines.set(cells.join("|"), line);
  }
  return table(
    ["model", "backend", "site", "load", "why", "lanes"],
    [...lines.values()].map(({ cells, lanes }) => [...cells, lanes.join(", ")]),
  );
}
