import { figure } from "../print/numbers.js";
import { crowdsOf, type Crowd } from "./figures.js";
import { nameOfLane } from "./lane-names.js";
import { LANES, MOST_WIDGETS } from "./plan.js";
import type { PageRow, PageSuiteReport } from "./report.js";

const NAMES_WIDTH = 264;
const PANEL = { width: 240, bar: 84, gap: 24 };
const LINE = 26;
const TOP = 96;

/**
 * Draws the answers a second of all lanes under the load of the README as bars with their intervals, beside the p98 of
 * keystrokes and the memory, one panel for each model: a self-contained SVG that follows the reader's colour scheme.
 */
export function drawWidgets(reports: readonly PageSuiteReport[]): string {
  const crowds = crowdsOf(reports);
  const width = NAMES_WIDTH + crowds.length * (PANEL.width + PANEL.gap);
  const height = TOP + LANES.length * LINE + 16;
  const names = LANES.map((lane, line) =>
    text(16, lineY(line), lane === "frame" ? "name" : "", nameOfLane(lane).replaceAll("`", "")),
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title">
<title id="title">Answers a second of ${MOST_WIDGETS} widgets, time from a keystroke to its frame, and memory, by way to run a model</title>
${STYLE}
<rect width="${width}" height="${height}" class="page"/>
${text(16, 26, "heading", `${MOST_WIDGETS} widgets that each call on their own, on a page that animates and is typed in`)}
${text(16, 46, "note", "Bars: answers a second, with 95 % intervals; more is better. Then ms from a keystroke to the frame that shows it (p98), and MB of the page's process.")}
${names.join("\n")}
${crowds.map((crowd, place) => drawPanel(crowd, NAMES_WIDTH + place * (PANEL.width + PANEL.gap))).join("\n")}
</svg>
`;
}

const STYLE = `<style>
text { font: 12px system-ui, sans-serif; fill: #1f2328; }
.page { fill: #fff; } .heading { font-size: 15px; font-weight: 600; } .title, .name { font-weight: 600; } .end { text-anchor: end; }
.note { font-size: 11px; fill: #59636e; } .theirs { fill: #afb8c1; } .ours { fill: #0969da; } .name { fill: #0969da; } .range { stroke: #1f2328; }
@media (prefers-color-scheme: dark) {
text { fill: #f0f6fc; } .page { fill: #0d1117; } .note { fill: #9198a1; } .theirs { fill: #656c76; } .ours, .name { fill: #4493f8; } .range { stroke: #f0f6fc; }
}
</style>`;

/** The right edges of the numbers beside the bars. */
const EDGES = { answers: PANEL.bar + 50, keystroke: PANEL.bar + 104, memory: PANEL.bar + 148 };

function drawPanel({ model, rows }: Crowd, x: number): string {
  const most = Math.max(...rows.map(({ throughputInterval }) => throughputInterval.high));
  return [
    text(x, TOP - 26, "title", model),
    text(x + EDGES.answers, TOP - 8, "note end", "a second"),
    text(x + EDGES.keystroke, TOP - 8, "note end", "key, ms"),
    text(x + EDGES.memory, TOP - 8, "note end", "MB"),
    ...rows.map((row) => drawRow(row, x, most)),
  ].join("\n");
}

function drawRow(row: PageRow, x: number, most: number): string {
  const line = LANES.indexOf(row.lane);
  const y = lineY(line);
  const at = (value: number): string => (x + (PANEL.bar * value) / most).toFixed(1);
  const { low, high } = row.throughputInterval;
  const bar = `<rect x="${x}" y="${y - 11}" width="${((PANEL.bar * row.throughputPerSec) / most).toFixed(1)}" height="14" class="${row.lane === "frame" ? "ours" : "theirs"}"/>`;
  const range = `<line x1="${at(low)}" x2="${at(high)}" y1="${y - 4}" y2="${y - 4}" class="range"/>`;
  const { memoryBytes } = row;
  return [
    bar,
    range,
    text(x + EDGES.answers, y, "end", figure(row.throughputPerSec)),
    text(x + EDGES.keystroke, y, "end", figure(row.keyP98Ms.value)),
    text(x + EDGES.memory, y, "end", figure(memoryBytes === null ? null : memoryBytes.value / 1e6)),
  ].join("");
}

function lineY(line: number): number {
  return TOP + 14 + line * LINE;
}

function text(x: number, y: number, style: string, content: string): string {
  return `<text x="${x}" y="${y}" class="${style}">${content.replaceAll("&", "&amp;").replaceAll("<", "&lt;")}</text>`;
}
