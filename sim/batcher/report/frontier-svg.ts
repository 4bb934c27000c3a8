import { type Box, placeLabels } from "./label-placement.js";
import type { Scenario } from "../model/scenarios.js";
import { OURS } from "../our-names.js";
import type { Row } from "../run/row.js";

/** The panels: a GPU's cost function at three loads, with noise. */
const COST = "8+0.05n";
const NOISE = 0.1;
const PANELS = [
  { arrivals: "scattered 1", title: "1 request a frame" },
  { arrivals: "scattered 4", title: "4 requests a frame" },
  { arrivals: "scattered 16", title: "16 requests a frame" },
];

const PANEL = { width: 310, height: 300 };
const MARGIN = { left: 44, right: 16, top: 84, bottom: 56 };
const GAP = 20;
const FRAMES = { least: 1.25, most: 2.25, lines: [1.25, 1.5, 1.75, 2, 2.25] };

interface Mark {
  readonly x: number;
  readonly y: number;
  readonly isOurs: boolean;
  readonly text: string;
}

/**
 * Draws frames to paint against device time for every policy, as a self-contained SVG that follows the reader's colour
 * scheme. A scenario without rows leaves its panel empty. Policies that need more frames than the panel shows are
 * omitted.
 */
export function drawFrontier(scenarios: readonly Scenario[]): string {
  const width = MARGIN.left + PANELS.length * (PANEL.width + GAP) - GAP + MARGIN.right;
  const height = MARGIN.top + PANEL.height + MARGIN.bottom;
  const panels = PANELS.map(({ arrivals, title }, i) => {
    const found = scenarios.find((each) => each.cost === COST && each.arrivals === arrivals && each.noise === NOISE);
    const frame = { x: MARGIN.left + i * (PANEL.width + GAP), y: MARGIN.top, ...PANEL };
    return drawPanel([...(found?.means.values() ?? [])], title, frame, i === 0);
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title">
<title id="title">Frames to paint against device time, by batching policy</title>
${STYLE}
<rect width="${width}" height="${height}" class="page"/>
${text(MARGIN.left, 24, "heading", "Frames until a result can be painted, against device time")}
${text(MARGIN.left, 44, "note", "A run of n takes 8 ms + 0.05 ms × n, give or take 10 %. Towards the lower left is better. Blue: framebatch.")}
${panels.join("\n")}
${text(width / 2, height - 14, "note middle", "device busy, % of the time")}
</svg>
`;
}

const STYLE = `<style>
text { font: 11px system-ui, sans-serif; fill: #1f2328; }
.page { fill: #fff; } .grid { stroke: #d1d9e0; } .lead { stroke: #818b98; stroke-width: 0.6; }
.heading { font-size: 15px; font-weight: 600; } .title { font-weight: 600; } .middle { text-anchor: middle; } .end { text-anchor: end; }
.note { fill: #59636e; } .theirs { fill: #818b98; } .ours { fill: #0969da; } .name { fill: #0969da; font-weight: 600; }
@media (prefers-color-scheme: dark) {
text { fill: #f0f6fc; } .page { fill: #0d1117; } .grid { stroke: #3d444d; } .note { fill: #9198a1; }
.theirs { fill: #9198a1; } .ours, .name { fill: #4493f8; }
}
</style>`;

function drawPanel(rows: readonly Row[], title: string, frame: Box, hasScale: boolean): string {
  const marks = merged(rows.filter((row) => row.framesToPaint <= FRAMES.most).map((row) => markOf(row, frame)));
  const labels = placeLabels(marks, frame);
  return [
    text(frame.x, frame.y - 10, "title", title),
    ...FRAMES.lines.map((frames) => frameLine(frames, frame, hasScale)),
    ...[0, 25, 50, 75, 100].map((percent) => shareLine(percent, frame)),
    ...marks.map((mark, i) => drawMark(mark, labels[i])),
  ].join("\n");
}

function markOf({ busyShare, framesToPaint, policy }: Row, frame: Box): Mark {
  const isOurs = OURS.includes(policy);
  return { x: xOf(100 * busyShare, frame), y: yOf(framesToPaint, frame), isOurs, text: policy };
}

/** Merges policies at the same position into one mark. Ours come first, so the merged mark keeps our position. */
function merged(marks: readonly Mark[]): Mark[] {
  const kept: Mark[] = [];
  for (const mark of marks) {
    const near = kept.findIndex(
      (each) => each.isOurs === mark.isOurs && Math.hypot(each.x - mark.x, each.y - mark.y) < 4,
    );
    const twin = kept[near];
    if (twin === undefined) kept.push(mark);
    else kept[near] = { ...twin, text: `${twin.text}, ${mark.text}` };
  }
  return kept;
}

function drawMark({ x, y, isOurs, text: name }: Mark, label: Box | undefined): string {
  const dot = `<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="${isOurs ? 5 : 3.5}" class="${isOurs ? "ours" : "theirs"}"/>`;
  if (label === undefined) return dot;
  const side = label.x > x ? "start" : label.x + label.width < x ? "end" : "middle";
  const anchorX = side === "middle" ? x : side === "start" ? label.x : label.x + label.width;
  const middleY = label.y + label.height / 2;
  const isAway = side !== "middle" && Math.abs(middleY - y) > 8;
  const lead = `<line x1="${x.toFixed(1)}" y1="${y.toFixed(1)}" x2="${anchorX.toFixed(1)}" y2="${middleY.toFixed(1)}" class="lead"/>`;
  return `${isAway ? lead : ""}${dot}${text(anchorX, middleY + 4, `${isOurs ? "name" : "note"} ${side}`, name)}`;
}

function frameLine(frames: number, frame: Box, hasScale: boolean): string {
  const y = yOf(frames, frame);
  const line = `<line x1="${frame.x}" x2="${frame.x + frame.width}" y1="${y.toFixed(1)}" y2="${y.toFixed(1)}" class="grid"/>`;
  return hasScale ? line + text(frame.x - 6, y + 4, "note end", frames.toFixed(2)) : line;
}

function shareLine(percent: number, frame: Box): string {
  const x = xOf(percent, frame);
  const bottom = frame.y + frame.height;
  const line = `<line x1="${x.toFixed(1)}" x2="${x.toFixed(1)}" y1="${frame.y}" y2="${bottom}" class="grid"/>`;
  return line + text(x, bottom + 16, "note middle", String(percent));
}

function text(x: number, y: number, style: string, content: string): string {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" class="${style}">${content}</text>`;
}

function xOf(percent: number, frame: Box): number {
  return frame.x + (percent / 100) * frame.width;
}

function yOf(frames: number, frame: Box): number {
  return frame.y + (frame.height * (FRAMES.most - frames)) / (FRAMES.most - FRAMES.least);
}
