import type { Verdict } from "./criteria.js";
import type { Scenario } from "../model/scenarios.js";
import type { Row } from "../run/row.js";

const COLUMNS: readonly (readonly [title: string, cell: (row: Row) => string])[] = [
  ["p50 ms", (row) => number(row.p50Ms)],
  ["p95 ms", (row) => number(row.p95Ms)],
  ["p99 ms", (row) => number(row.p99Ms)],
  ["per s", (row) => number(row.throughputPerSec)],
  ["frames", (row) => row.framesToPaint.toFixed(3)],
  ["busy %", (row) => number(100 * row.busyShare)],
  ["device ms/req", (row) => row.deviceMsPerRequest.toFixed(3)],
  ["good %", (row) => number(100 * row.goodShare)],
  ["refused after ms", (row) => (row.refusalP50Ms === null ? "" : number(row.refusalP50Ms))],
  ["runs", (row) => row.runs.toFixed(0)],
  ["mean size", (row) => number(row.meanBatchSize)],
  ["waste %", (row) => number(100 * row.paddingWaste)],
  ["wake-ups", (row) => row.wakeUps.toFixed(0)],
];

/** Formats one scenario with one line per policy. */
export function scenarioTable({ cost, arrivals, noise, means }: Scenario): string {
  const header = ["policy", ...COLUMNS.map(([title]) => title)];
  const lines = [...means].map(([policy, row]) => [policy, ...COLUMNS.map(([, cell]) => cell(row))]);
  return `\n${cost}, ${arrivals}, noise ${noise}\n${aligned([header, ...lines])}`;
}

/** Formats the criteria that failed, worst first, and then every criterion with its count. */
export function summary(verdicts: readonly Verdict[]): string {
  const lost = verdicts.filter((each) => !each.passed).sort((a, b) => b.excess - a.excess);
  const lostLines = lost.map((each) => [
    each.criterion,
    each.scenario,
    value(each.value),
    `limit ${value(each.limit)}`,
    each.rival,
    `${(100 * each.excess).toFixed(1)} %`,
    `worst ${value(each.worst.value)} (seed ${each.worst.seed})`,
  ]);
  const names = [...new Set(verdicts.map((each) => each.criterion))];
  const counts = names.map((name) => {
    const all = verdicts.filter((each) => each.criterion === name);
    return [name, `${all.filter((each) => each.passed).length} of ${all.length}`];
  });
  const heading = lost.length === 0 ? "No cell is lost." : `Lost cells: ${lost.length} of ${verdicts.length}`;
  return `\n${heading}\n${aligned(lostLines)}\n\nMet\n${aligned(counts)}`;
}

/** Pads each column to its widest entry. */
export function aligned(lines: readonly (readonly string[])[]): string {
  const widths = (lines[0] ?? []).map((_, i) => Math.max(...lines.map((line) => line[i]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((text, i) => pad(text, widths[i] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** Aligns words to the left and numbers to the right. */
function pad(text: string, width: number): string {
  return /^[-\d.]+$/.test(text) ? text.padStart(width) : text.padEnd(width);
}

function number(each: number): string {
  return each >= 1000 ? each.toFixed(0) : each.toFixed(1);
}

function value(each: number): string {
  return each >= 100 ? each.toFixed(1) : each.toFixed(3);
}
