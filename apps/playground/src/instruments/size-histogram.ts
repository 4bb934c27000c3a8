import type { Distribution } from "framebatch";

/** Ratio of the bounds of two successive buckets in framebatch's distributions. */
const BUCKET_GROWTH = 1.08;

/**
 * Number of batches by size. Each bin counts the batches whose size is above the previous bound and at most its own
 * bound; the bounds are powers of two.
 */
export interface SizeHistogram {
  readonly bounds: readonly number[];
  readonly counts: readonly number[];
}

/** Merges the fine, cumulative buckets of a distribution into octaves. */
export function sizeHistogram({ buckets, max }: Pick<Distribution, "buckets" | "max">): SizeHistogram {
  const octaves = Math.max(0, Math.ceil(Math.log2(Math.max(1, max)))) + 1;
  const bounds = Array.from({ length: octaves }, (_, power) => 2 ** power);
  const counts = bounds.map(() => 0);
  let before = 0;
  for (const { le, count } of buckets) {
    const octave = Math.min(octaves - 1, octaveOf(le / BUCKET_GROWTH));
    counts[octave] = (counts[octave] ?? 0) + count - before;
    before = count;
  }
  return { bounds, counts };
}

/**
 * Selects the octave by the minimum size of a fine bucket, so that full batches, whose sizes are powers of two, are
 * counted correctly.
 */
function octaveOf(leastSize: number): number {
  return Math.max(0, Math.ceil(Math.log2(Math.max(1, leastSize))));
}
