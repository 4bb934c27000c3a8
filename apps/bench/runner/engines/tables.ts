import type { EngineSlice } from "../../src/engines/main.js";
import { spread } from "../print/spread.js";
import type { EnginePage } from "./main.js";

const COLUMNS: readonly (readonly [title: string, of: (slice: EngineSlice) => number])[] = [
  ["answers a second", ({ answersPerSecond }) => answersPerSecond],
  ["p50, ms", ({ p50Ms }) => p50Ms],
  ["p95, ms", ({ p95Ms }) => p95Ms],
  ["reaction p50, ms", ({ reactionP50Ms }) => reactionP50Ms],
  ["reaction p95, ms", ({ reactionP95Ms }) => reactionP95Ms],
];

/** Returns the results as Markdown: medians of the pages, and their lowest and highest values. */
export function enginesMarkdown(pages: readonly EnginePage[]): string {
  const lanes = [...new Set(pages.map(({ lane }) => lane))].toSorted();
  const counts = [...new Set(pages.flatMap(({ slices }) => slices.map(({ callers }) => callers)))];
  const rows = counts
    .toSorted((a, b) => a - b)
    .flatMap((callers) =>
      lanes.map((lane) => {
        const slices = pages.filter((page) => page.lane === lane).flatMap((page) => page.slices);
        const own = slices.filter((slice) => slice.callers === callers);
        return [String(callers), lane, ...COLUMNS.map(([, of]) => spread(own.map(of)))];
      }),
    );
  const first = lanes.map((lane) => {
    const own = pages.filter((page) => page.lane === lane);
    return `${lane} ${spread(own.map(({ firstMs }) => firstMs))}`;
  });
  const titles = ["callers", "lane", ...COLUMNS.map(([title]) => title)];
  const lines = [titles, titles.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
  return `${lines.join("\n")}\n\nLoad and first answer, ms: ${first.join("; ")}\n`;
}
