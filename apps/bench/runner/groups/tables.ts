import { spread } from "../print/spread.js";
import { table } from "../print/tables.js";
import type { GroupPage } from "./main.js";

const COLUMNS: readonly (readonly [title: string, of: (page: GroupPage) => number])[] = [
  ["memory, MB", ({ memoryBytes }) => memoryBytes / 1e6],
  ["processor, ms", ({ processorMs }) => processorMs],
  ["processor until open, ms", ({ openProcessorMs }) => openProcessorMs],
  ["time, ms", ({ ms }) => ms],
];

/** Returns the results as Markdown: medians of the pages, with their lowest and highest values, and ratios to by hand. */
export function groupsMarkdown(pages: readonly GroupPage[]): string {
  const sites = [...new Set(pages.map(({ site }) => site))];
  const titles = COLUMNS.flatMap(([title]) => [title, "over by hand"]);
  const rows = sites.flatMap((site) => rowsOf(pages.filter((page) => page.site === site)));
  return `${table(["site", "lane", ...titles], rows) ?? ""}\n`;
}

function rowsOf(pages: readonly GroupPage[]): string[][] {
  const lanes = [...new Set(pages.map(({ lane }) => lane))].toSorted();
  const byHand = pages.filter(({ lane }) => lane === "by-hand");
  return lanes.map((lane) => {
    const own = pages.filter((page) => page.lane === lane);
    const figures = COLUMNS.flatMap(([, of]) => {
      const ratios = own.map((page) => of(page) / of(byHand.find(({ turn }) => turn === page.turn)!));
      return [spread(own.map(of)), lane === "by-hand" ? "" : spread(ratios)];
    });
    return [own[0]!.site, lane, ...figures];
  });
}
