import type { Cell, Ratio } from "../results.js";
import type { Random } from "../statistics/random.js";
import { estimateRatio } from "../statistics/ratio.js";
import type { Slice } from "./slice.js";

/** The lanes in the denominators of the ratios. */
const REFERENCES: readonly string[] = ["off", "limit"];

/** Slices by lane. Slices at the same index are from the same round. */
export type SlicesByLane = ReadonlyMap<string, readonly Slice[]>;

/** Computes the ratio of every lane to every reference lane of the same model, backend and load. */
export function ratiosOf(
  group: Omit<Cell, "lane">,
  slicesByLane: SlicesByLane,
  facts: { readonly adapter: string | null; readonly random: Random },
): Ratio[] {
  return [...slicesByLane].flatMap(([lane, slices]) =>
    REFERENCES.filter((over) => over !== lane && lane !== "limit").flatMap((over) => {
      const others = slicesByLane.get(over);
      if (others === undefined) return [];
      const ratio = (pick: (slice: Slice) => number) => estimateRatio(slices.map(pick), others.map(pick), facts.random);
      return {
        ...group,
        lane,
        adapter: facts.adapter,
        over,
        throughput: ratio((slice) => slice.throughputPerSec),
        p50: ratio((slice) => slice.p50Ms),
        p99: ratio((slice) => slice.p99Ms),
        firstAnswer: ratio((slice) => slice.firstAnswerMs),
        rounds: slices.length,
      };
    }),
  );
}
