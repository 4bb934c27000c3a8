import { figure, withInterval } from "../print/numbers.js";
import { standingsSections } from "../print/standings-tables.js";
import { section, table } from "../print/tables.js";
import { grouped } from "../../src/ort/grouped.js";
import type { PageRow, PageSuiteReport } from "./report.js";

/** Creates the Markdown of a measurement of callers against the page. */
export function pageMarkdown(report: PageSuiteReport): string {
  const { command, date, seed, machine, browser, rows, standings, gaps } = report;
  const facts = [
    `- \`${command}\`, seed ${seed}, ${date}`,
    `- ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, ${machine.os}, ${browser}`,
  ];
  const groups = grouped(rows, ({ model, backend, site }) => `${model} on ${backend}, ${site} site`);
  const parts = [
    "# framebatch: callers against the page",
    facts.join("\n"),
    ...[...groups].flatMap(([name, ofGroup]) => section(name, rowsTable(ofGroup))),
    ...standingsSections(standings),
    ...section(
      "Not measured",
      table(
        ["model", "site", "load", "lane", "reason"],
        gaps.map(({ model, site, load, lane, reason }) => [model, site, load, lane, reason.split("\n")[0] ?? ""]),
      ),
    ),
  ];
  return `${parts.join("\n\n")}\n`;
}

type Column = readonly [head: string, cell: (row: PageRow) => string];

const COLUMNS: readonly Column[] = [
  ["load", ({ load }) => load],
  ["lane", ({ lane }) => lane],
  ["answers a second", (row) => withInterval({ value: row.throughputPerSec, interval: row.throughputInterval }, "")],
  ["p99 of answers, ms", ({ p99Ms, latencyIsLowerBound }) => `${latencyIsLowerBound ? "≥ " : ""}${figure(p99Ms)}`],
  ["frames to paint", ({ framesToPaint }) => figure(framesToPaint)],
  ["keystroke p75, ms", ({ keyP75Ms }) => withInterval(keyP75Ms, "")],
  ["keystroke p98, ms", ({ keyP98Ms }) => withInterval(keyP98Ms, "")],
  ["dropped frames/s", ({ droppedFramesPerSec }) => figure(droppedFramesPerSec)],
  ["longest task, ms", ({ longestTaskMs }) => longestTask(longestTaskMs)],
  ["memory, MB", ({ memoryBytes }) => figure(memoryBytes === null ? null : memoryBytes.value / 1e6)],
  ["mean batch", ({ meanBatchSize }) => figure(meanBatchSize)],
  ["keystrokes", ({ keystrokes }) => String(keystrokes)],
];

/** The browser reports tasks of over 50 ms only. */
function longestTask(ms: number): string {
  return ms === 0 ? "< 50" : figure(ms);
}

function rowsTable(rows: readonly PageRow[]): string | null {
  return table(
    COLUMNS.map(([head]) => head),
    rows.map((row) => COLUMNS.map(([, cell]) => cell(row))),
  );
}
