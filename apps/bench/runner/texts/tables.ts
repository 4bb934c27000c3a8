import type { Random } from "../../src/statistics/random.js";
import { estimateRatio } from "../../src/statistics/ratio.js";
import type { TextLaneName } from "../../src/texts/lanes.js";
import type { TextRates } from "../../src/texts/main.js";
import { withInterval } from "../print/numbers.js";
import { spread } from "../print/spread.js";
import { section, table } from "../print/tables.js";
import type { TextPage } from "./main.js";

const MB = 1e6;

type Rate = keyof TextRates;
type Slice = TextPage["slices"][number];
type Join = TextPage["joins"][number];

const JOIN_COLUMNS: readonly (readonly [title: string, of: (join: Join) => number])[] = [
  ["step, ms", ({ stepMs }) => stepMs],
  ["first token, ms", ({ firstMs }) => firstMs],
  ["alone, ms", ({ firstAloneMs }) => firstAloneMs],
  ["first token, in steps", ({ firstMs, stepMs }) => firstMs / stepMs],
  ["beyond alone, in steps", ({ firstMs, firstAloneMs, stepMs }) => (firstMs - firstAloneMs) / stepMs],
  ["mean between tokens, ms", ({ gapMeanMs }) => gapMeanMs],
  ["p99 between tokens, ms", ({ gapP99Ms }) => gapP99Ms],
  ["p99 over a step", ({ gapP99Ms, stepMs }) => gapP99Ms / stepMs],
];

const MEMORY_COLUMNS: readonly (readonly [title: string, of: (memory: TextPage["memory"]) => number])[] = [
  ["WebAssembly, MB", ({ wasmBytes }) => wasmBytes / MB],
  ["over the weights", ({ wasmBytes, weightBytes }) => wasmBytes / weightBytes],
  ["caches, MB", ({ cacheBytes }) => (cacheBytes ?? Number.NaN) / MB],
  [
    "WebAssembly over weights and caches",
    ({ wasmBytes, cacheBytes, weightBytes }) => wasmBytes / (weightBytes + (cacheBytes ?? Number.NaN)),
  ],
  [
    "both over weights and caches",
    ({ wasmBytes, cacheBytes, weightBytes }) => {
      const caches = cacheBytes ?? Number.NaN;
      return (wasmBytes + caches) / (weightBytes + caches);
    },
  ],
];

/**
 * Returns the results as Markdown: medians of the pages, with their lowest and highest values. Ratios compare the lanes of a
 * turn, and have a 95 % interval over the pages.
 */
export function textsMarkdown(pages: readonly TextPage[], random: Random): string {
  const sites = [...new Set(pages.map(({ site }) => site))];
  const onSites = (rowsOf: (own: readonly TextPage[]) => string[][]): string[][] =>
    sites.flatMap((site) => rowsOf(pages.filter((page) => page.site === site)).map((row) => [site, ...row]));
  const rateTitles = ["tokens a second", "tokens a second after the first"];
  const sections = [
    ...section(
      "Tokens",
      table(
        [
          "site",
          "prompt",
          "texts",
          "lane",
          ...rateTitles.flatMap((title) => [title, "over one by one", "over stacked"]),
        ],
        onSites((own) => rateRows(own, random)),
      ),
    ),
    ...section(
      "A text that joins",
      table(["site", "running", "prompt", ...JOIN_COLUMNS.map(([title]) => title)], onSites(joinRows)),
    ),
    ...section("Memory", table(["site", "lane", ...MEMORY_COLUMNS.map(([title]) => title)], onSites(memoryRows))),
  ];
  return `${sections.join("\n\n")}\n`;
}

function rateRows(pages: readonly TextPage[], random: Random): string[][] {
  const tasks = pages
    .flatMap(({ lane, slices }) => slices.map(({ promptTokens, count }) => ({ lane, promptTokens, count })))
    .toSorted((a, b) => a.promptTokens - b.promptTokens || countOf(a) - countOf(b) || (a.lane < b.lane ? -1 : 1));
  const names = new Map(tasks.map((task) => [Object.values(task).join(), task]));
  return Array.from(names.values(), (task) => {
    const own = slicesOf(pages, task.lane, (slice) => isOf(slice, task));
    const references = [
      slicesOf(pages, "one-by-one", ({ promptTokens }) => promptTokens === task.promptTokens),
      slicesOf(pages, "stacked", (slice) => isOf(slice, task)),
    ];
    const figures = (["tokensPerSecond", "stepTokensPerSecond"] satisfies Rate[]).flatMap((rate) => {
      const [values, ...others] = [own, ...references].map((slices) =>
        slices.map((ofPage) => ofPage.map((slice) => slice[rate])),
      );
      const ratios = others.map((other) => withInterval(estimateRatio(values!, other, random), "×"));
      return [spread(values!.flat()), ...ratios];
    });
    return [String(task.promptTokens), String(countOf(task)), task.lane, ...figures];
  });
}

/** Returns the number of texts at a time. */
function countOf({ lane, count }: { readonly lane: TextLaneName; readonly count: number }): number {
  return lane === "one-by-one" ? 1 : count;
}

function isOf(slice: Slice, { promptTokens, count }: Pick<Slice, "promptTokens" | "count">): boolean {
  return slice.promptTokens === promptTokens && slice.count === count;
}

/** The slices of a lane by page, in the order of the turns. */
function slicesOf(pages: readonly TextPage[], lane: TextLaneName, isWanted: (slice: Slice) => boolean): Slice[][] {
  return pages
    .filter((page) => page.lane === lane)
    .toSorted((one, other) => one.turn - other.turn)
    .map(({ slices }) => slices.filter(isWanted));
}

function joinRows(pages: readonly TextPage[]): string[][] {
  const joins = pages.flatMap((page) => page.joins);
  return [...new Set(joins.map(({ promptTokens }) => promptTokens))].map((promptTokens) => {
    const own = joins.filter((join) => join.promptTokens === promptTokens);
    return [String(own[0]!.running), String(promptTokens), ...JOIN_COLUMNS.map(([, of]) => spread(own.map(of)))];
  });
}

function memoryRows(pages: readonly TextPage[]): string[][] {
  return [...new Set(pages.map(({ lane }) => lane))].toSorted().map((lane) => {
    const own = pages.filter((page) => page.lane === lane).map(({ memory }) => memory);
    return [lane, ...MEMORY_COLUMNS.map(([, of]) => spread(own.map(of)))];
  });
}
