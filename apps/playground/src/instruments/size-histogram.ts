import type { Distribution } from "framebatch";

/** How much larger each of framebatch's fine buckets is than the one before. */
const BUCKET_GROWTH = 1.08;

/** Batches by size: powers of two, as bounds, and how many batches were larger than the bound before and at most this. */
export interface SizeHistogram {
  readonly bounds: readonly number[];
  readonly counts: readonly number[];
}

/** Gathers a distribution's fine buckets, whose counts run up, into octaves. */
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

/** By the least size that a fine bucket may hold: full batches, which are powers of two, are then told right. */
function octaveOf(leastSize: number): number {
  return Math.max(0, Math.ceil(Math.log2(Math.max(1, leastSize))));
}
