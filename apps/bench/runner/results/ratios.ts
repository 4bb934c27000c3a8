import type { GroupName, Ratio } from "../../src/results.js";
import type { ByPage } from "../../src/statistics/bootstrap.js";
import type { Random } from "../../src/statistics/random.js";
import { countPairs, estimateRatio } from "../../src/statistics/ratio.js";
import type { Slice } from "../../src/run/slice.js";

/** The lanes in the denominators of the ratios. */
const REFERENCES: readonly string[] = ["off", "limit"];

/** The slices of each lane by page. Slices at the same index of a page are from the same round. */
export type SlicesByLane<Measured = Slice> = ReadonlyMap<string, ByPage<Measured>>;

/** Returns a figure of each slice. */
export function figuresOf<Measured>(pages: ByPage<Measured>, pick: (slice: Measured) => number): number[][] {
  return pages.map((slices) => slices.map(pick));
}

/** Latencies that are known: of lower bounds, a ratio says nothing. */
export const p50 = (slice: Slice): number => (slice.latencyIsLowerBound ? Number.NaN : slice.p50Ms);
export const p99 = (slice: Slice): number => (slice.latencyIsLowerBound ? Number.NaN : slice.p99Ms);

/** Computes the ratio of every lane to every reference lane of the same model, backend, site and load. */
export function ratiosOf(
  group: GroupName,
  slicesByLane: SlicesByLane,
  facts: { readonly adapter: string | null; readonly random: Random },
): Ratio[] {
  return [...slicesByLane].flatMap(([lane, pages]) =>
    REFERENCES.filter((over) => over !== lane && lane !== "limit").flatMap((over) => {
      const others = slicesByLane.get(over);
      if (others === undefined) return [];
      const ratio = (pick: (slice: Slice) => number) =>
        estimateRatio(figuresOf(pages, pick), figuresOf(others, pick), facts.random);
      const behind = countPairs(figuresOf(pages, rateOf), figuresOf(others, rateOf));
      return {
        ...group,
        lane,
        adapter: facts.adapter,
        over,
        throughput: ratio(rateOf),
        p50: ratio(p50),
        p99: ratio(p99),
        firstAnswer: ratio((slice) => slice.firstAnswerMs),
        pages: behind.pages,
        rounds: behind.pairs,
      };
    }),
  );
}

function rateOf({ throughputPerSec }: Slice): number {
  return throughputPerSec;
}
