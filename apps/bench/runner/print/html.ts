import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { chartsOf, type Chart } from "./charts.js";
import { toMarkdown } from "./markdown.js";
import type { Report } from "../results/report.js";
import { cellsOf } from "./tables.js";

const STYLE = `
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 1340px; padding: 0 1rem; color: #1b1f24; }
h1 { font-size: 1.6rem; } h2 { margin-top: 2.5rem; }
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(620px, 1fr)); gap: 2rem; }
figure { margin: 0; } figcaption { font-weight: 600; }
body > table { border-collapse: collapse; display: block; overflow-x: auto; font-variant-numeric: tabular-nums; }
body > table :is(td, th) { border: 1px solid #d8dee4; padding: 0.2rem 0.6rem; text-align: left; } body > table th { background: #f6f8fa; }
`;

/** Creates the report as a self-contained page: the facts, the charts, and the tables of the Markdown. */
export async function toHtml(report: Report): Promise<string> {
  const require = createRequire(import.meta.url);
  const uPlot = await readFile(require.resolve("uplot/dist/uPlot.iife.min.js"), "utf8");
  const uPlotStyle = await readFile(require.resolve("uplot/dist/uPlot.min.css"), "utf8");
  const script = await readFile(new URL("draw-charts.js", import.meta.url), "utf8");
  const [title, facts, ...tables] = toMarkdown(report).split(/\n\n+/).map(toBlock);
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>framebatch benchmark, ${escaped(report.date)}</title>
<style>${uPlotStyle}${STYLE}</style>
${title}
${facts}
<div class="charts">${chartsOf(report).map(figureOf).join("")}</div>
${tables.join("\n")}
<script>${uPlot}</script>
<script>${script}</script>
</html>
`;
}

function figureOf(chart: Chart): string {
  return `<figure data-chart="${escaped(JSON.stringify(chart))}"><figcaption>${escaped(chart.title)}</figcaption></figure>`;
}

/** Converts a block of the report's Markdown subset: a heading, a list, a table or a paragraph. */
function toBlock(block: string): string {
  const lines = block.trim().split("\n");
  const [first = ""] = lines;
  if (first.startsWith("## ")) return `<h2>${inline(first.slice(3))}</h2>`;
  if (first.startsWith("# ")) return `<h1>${inline(first.slice(2))}</h1>`;
  if (first.startsWith("- ")) return `<ul>${lines.map((line) => `<li>${inline(line.slice(2))}</li>`).join("")}</ul>`;
  if (!first.startsWith("|")) return `<p>${inline(lines.join(" "))}</p>`;
  const [head = "", , ...rows] = lines;
  return `<table><thead>${rowOf(head, "th")}</thead><tbody>${rows.map((row) => rowOf(row, "td")).join("")}</tbody></table>`;
}

function rowOf(line: string, tag: "td" | "th"): string {
  const cells = cellsOf(line).map((cell) => `<${tag}>${inline(cell)}</${tag}>`);
  return `<tr>${cells.join("")}</tr>`;
}

function inline(text: string): string {
  return escaped(text)
    .replaceAll(/`([^`]+)`/g, "<code>$1</code>")
    .replaceAll(/\*\*([^*]+)\*\*/g, "<strong>$1</strong>");
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
