import type { StreamLaneName } from "../../src/streams/lanes.js";
import type { StreamSlice } from "../../src/streams/main.js";
import { spread } from "../print/spread.js";
import { table } from "../print/tables.js";
import type { StreamPage } from "./main.js";

const COLUMNS: readonly (readonly [title: string, of: (slice: StreamSlice) => number])[] = [
  ["steps a second", ({ stepsPerSecond }) => stepsPerSecond],
  ["steps in a run", ({ meanBatch }) => meanBatch],
  ["live p50, ms", ({ liveP50Ms }) => liveP50Ms],
  ["live p99, ms", ({ liveP99Ms }) => liveP99Ms],
  ["answered in time", ({ liveShare }) => liveShare],
];

/** Returns the results as Markdown: medians of the pages, with their lowest and highest values, and ratios to framebatch. */
export function streamsMarkdown(pages: readonly StreamPage[]): string {
  const sites = [...new Set(pages.map(({ site }) => site))];
  const counts = [...new Set(pages.flatMap(({ slices }) => slices.map(({ streams }) => streams)))];
  const rows = sites.flatMap((site) =>
    counts
      .toSorted((a, b) => a - b)
      .flatMap((count) =>
        rowsOf(
          pages.filter((page) => page.site === site),
          site,
          count,
        ),
      ),
  );
  const titles = ["site", "streams", "lane", "framebatch over it", ...COLUMNS.map(([title]) => title)];
  return `${table(titles, rows) ?? ""}\n`;
}

function rowsOf(pages: readonly StreamPage[], site: string, count: number): string[][] {
  const lanes = [...new Set(pages.map(({ lane }) => lane))].toSorted();
  return lanes.map((lane) => {
    const own = slicesOf(pages, lane, count);
    const ratios = slicesOf(pages, "framebatch", count).map(
      ({ stepsPerSecond }, turn) => stepsPerSecond / own[turn]!.stepsPerSecond,
    );
    const ratio = lane === "framebatch" ? "" : spread(ratios);
    const figures = COLUMNS.map(([, of]) => spread(own.map(of)));
    return [site, String(count), lane, ratio, ...figures];
  });
}

/** The slices of a lane, in the order of the turns. */
function slicesOf(pages: readonly StreamPage[], lane: StreamLaneName, count: number): readonly StreamSlice[] {
  return pages
    .filter((page) => page.lane === lane)
    .toSorted((one, other) => one.turn - other.turn)
    .flatMap(({ slices }) => slices.filter(({ streams }) => streams === count));
}
