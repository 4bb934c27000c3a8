import type { Distribution } from "framebatch";

type Buckets = Pick<Distribution, "count" | "buckets">;

/** The median of the values that a distribution gained, as the bound of its bucket; 0 if it gained none. */
export function medianSince(before: Buckets, after: Buckets): number {
  const gained = after.count - before.count;
  if (gained <= 0) return 0;
  const bucket = after.buckets.find(({ le, count }) => 2 * (count - countUpTo(before, le)) >= gained);
  return bucket?.le ?? 0;
}

/** The number of values up to a bound. Bounds at which no value was added have no bucket. */
function countUpTo({ buckets }: Buckets, bound: number): number {
  return buckets.findLast(({ le }) => le <= bound)?.count ?? 0;
}
