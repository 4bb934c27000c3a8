import type { GroupName, MeasuredGroup, PageReport, Ratio, Row, Standing } from "../../src/results.js";
import type { Slice } from "../../src/run/slice.js";
import { seededRandom } from "../../src/statistics/random.js";
import { grouped } from "../../src/ort/grouped.js";
import { ratiosOf, type SlicesByLane } from "./ratios.js";
import { rowOf } from "./row.js";
import { standingsOf } from "./standings.js";

export interface Pooled {
  readonly rows: readonly Row[];
  readonly ratios: readonly Ratio[];
  readonly standings: readonly Standing[];
}

/** The groups that a page has measured. */
export interface MeasuredPage {
  readonly adapter: string | null;
  readonly page: { readonly timerResolutionMs: number };
  readonly groups: readonly MeasuredGroup[];
}

/** Returns the reports of the pages that have one. */
export function reportsOf(runs: readonly { readonly report: PageReport | null }[]): PageReport[] {
  return runs.flatMap(({ report }) => report ?? []);
}

/** Computes the figures of each group from the slices of all pages that measured it. */
export function poolPages(pages: readonly MeasuredPage[], seed: number): Pooled {
  const random = seededRandom(seed);
  const measured = pages.flatMap(({ adapter, page: { timerResolutionMs }, groups }) =>
    groups.map(({ name, slices }) => ({
      name,
      slices: new Map(slices),
      facts: { adapter, timerResolutionMs, random },
    })),
  );
  const groups = [...grouped(measured, ({ name }) => nameOf(name)).values()].flatMap((ofGroup) =>
    ofGroup.slice(0, 1).map((first) => ({ ...first, slices: byLane(ofGroup) })),
  );
  return {
    rows: groups.flatMap(({ name, slices, facts }) =>
      [...slices].map(([lane, ofLane]) => rowOf({ ...name, lane }, ofLane, facts)),
    ),
    ratios: groups.flatMap(({ name, slices, facts }) => ratiosOf(name, slices, facts)),
    standings: groups.flatMap(({ name, slices }) => standingsOf(name, slices, random)),
  };
}

function nameOf({ model, backend, site, load }: GroupName): string {
  return [model, backend, site, load].join(" ");
}

/** Returns the slices of every lane by page: all lanes have the same pages in the same order. */
function byLane(pages: readonly { readonly slices: ReadonlyMap<string, readonly Slice[]> }[]): SlicesByLane {
  const lanes = new Set(pages.flatMap(({ slices }) => [...slices.keys()]));
  return new Map([...lanes].map((lane) => [lane, pages.map(({ slices }) => slices.get(lane) ?? [])]));
}
