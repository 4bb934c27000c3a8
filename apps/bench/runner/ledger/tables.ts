import { grouped } from "../../src/ort/grouped.js";
import { median } from "../../src/statistics/quantile.js";
import { spread } from "../print/spread.js";
import { section, table } from "../print/tables.js";
import type { LedgerPage } from "./main.js";

const OWN = "frame";

/** Accounts below this time in every lane are added up, in microseconds of a call. */
const SMALL_US = 2;

const COLUMNS: readonly (readonly [title: string, of: (page: LedgerPage) => number])[] = [
  ["cold, calls/s", ({ cold }) => rate(cold)],
  ["warm, calls/s", ({ warm }) => rate(warm)],
  ["p50, ms", ({ warm }) => warm.p50Ms],
  ["p99, ms", ({ warm }) => warm.p99Ms],
  ["page, µs", ({ passages }) => passages.page],
  ["message out, µs", ({ passages }) => passages.out],
  ["worker, µs", ({ passages }) => passages.worker],
  ["message back, µs", ({ passages }) => passages.back],
  ["allocated on the page, bytes", ({ allocatedBytes }) => allocatedBytes],
];

/** Returns the results as Markdown, a part for each model and site: medians of the pages with their lowest and highest values. */
export function ledgerMarkdown(pages: readonly LedgerPage[]): string {
  const parts = grouped(pages, ({ model, site }) => `${model}, ${site}`);
  return [...parts].flatMap(([title, of]) => section(title, partOf(of))).join("\n\n");
}

function partOf(pages: readonly LedgerPage[]): string {
  const lanes = [...grouped(pages, ({ lane }) => lane)].toSorted(([a], [b]) => a.localeCompare(b));
  const own = pages.filter(({ lane }) => lane === OWN);
  const rows = lanes.map(([lane, of]) => [
    lane,
    lane === OWN ? "" : spread(ratios(own, of, ({ cold }) => cold)),
    lane === OWN ? "" : spread(ratios(own, of, ({ warm }) => warm)),
    ...COLUMNS.map(([, figure]) => spread(of.map(figure))),
  ]);
  const heads = ["lane", `cold: ${OWN} over it`, `warm: ${OWN} over it`, ...COLUMNS.map(([title]) => title)];
  return [table(heads, rows), accountsOf("page", lanes), accountsOf("worker", lanes)].join("\n\n");
}

type Lanes = readonly (readonly [lane: string, pages: readonly LedgerPage[]])[];

function accountsOf(thread: "page" | "worker", lanes: Lanes): string {
  const names = new Set(lanes.flatMap(([, pages]) => pages.flatMap(({ accounts }) => Object.keys(accounts[thread]))));
  const figures = [...names].map((name) => ({
    name,
    us: lanes.map(([, pages]) => median(pages.map(({ accounts }) => accounts[thread][name] ?? 0))),
  }));
  const isSmall = ({ us }: { readonly us: readonly number[] }): boolean => Math.max(...us) < SMALL_US;
  const large = figures.filter((figure) => !isSmall(figure)).toSorted((a, b) => Math.max(...b.us) - Math.max(...a.us));
  const added = (of: typeof figures): number[] =>
    lanes.map((_, lane) => of.reduce((sum, { us }) => sum + us[lane]!, 0));
  const rows = [
    ...large.map(({ name, us }) => [name, ...us.map(shown)]),
    [`accounts below ${SMALL_US} µs`, ...added(figures.filter(isSmall)).map(shown)],
    ["all", ...added(figures).map(shown)],
  ];
  return table([`processor time of the ${thread}'s thread, µs a call`, ...lanes.map(([lane]) => lane)], rows) ?? "";
}

function ratios(
  own: readonly LedgerPage[],
  other: readonly LedgerPage[],
  of: (page: LedgerPage) => LedgerPage["warm"],
): number[] {
  const byTurn = new Map(other.map((page) => [page.turn, page]));
  return own.flatMap((page) => {
    const beside = byTurn.get(page.turn);
    return beside === undefined ? [] : [rate(of(page)) / rate(of(beside))];
  });
}

function rate({ calls, elapsedMs }: LedgerPage["warm"]): number {
  return (calls / elapsedMs) * 1000;
}

function shown(us: number): string {
  return us.toFixed(1);
}
