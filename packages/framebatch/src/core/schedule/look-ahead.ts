import type { CostModel } from "../cost/cost-model.js";
import { volumeOf } from "../shape.js";
import type { Lane, Neighbourhood } from "../queue/lanes.js";

/** A stretch that wastes more than so many further runs would cost is not looked at, nor any that holds it. */
const MOST_WASTED_RUNS = 4;

/**
 * The lanes that ride with the leader's own in the plan that runs all that waits in the least time: in the order of their
 * sizes, lanes are cut into stretches that are each one run, at the price that the cost model's line puts on it (a fixed
 * part, and rows times the volume that holds the largest). Returns the stretch with the leader's lane; that one first, then
 * the nearest.
 *
 * @param limit most rows in a run
 * @param hiddenMs part of a run's fixed time that is not to be counted
 */
export function ridingTogether<Item, Result>(
  { lanes, place }: Neighbourhood<Item, Result>,
  limit: number,
  { line, padded }: CostModel,
  hiddenMs: number,
): readonly Lane<Item, Result>[] {
  const own = lanes[place]!;
  if (lanes.length === 1 || own.requests.size >= limit) return [own];
  const price = { fixedMs: Math.max(0, line.fixedMs - hiddenMs), msPerVolume: line.msPerVolume, padded };
  const [first, last] = stretchAround(place, lanes, limit, price);
  const together = [own];
  for (let step = 1; together.length <= last - first; step++) {
    if (place - step >= first) together.push(lanes[place - step]!);
    if (place + step <= last) together.push(lanes[place + step]!);
  }
  return together;
}

/** What runs cost: a part that is the same for all, and what each volume adds, in milliseconds. */
interface Price {
  readonly fixedMs: number;
  readonly msPerVolume: number;
  readonly padded: CostModel["padded"];
}

/** The first and the last lane of the stretch that holds the one at `place`, in the cheapest way to cut all of them. */
function stretchAround<Item, Result>(
  place: number,
  lanes: readonly Lane<Item, Result>[],
  limit: number,
  { fixedMs, msPerVolume, padded }: Price,
): readonly [first: number, last: number] {
  /** By lane: the least time for all lanes up to it, and where the last stretch of that plan starts. */
  const leastMs: number[] = [];
  const starts: number[] = [];
  for (let end = 0; end < lanes.length; end++) {
    const extents = [...lanes[end]!.extents];
    let [rows, usedVolume, least, bestStart] = [0, 0, Infinity, end];
    for (let start = end; start >= 0; start--) {
      const lane = lanes[start]!;
      rows += lane.requests.size;
      if (rows > limit && start < end) break;
      usedVolume += lane.requests.size * volumeOf(lane.extents);
      raise(extents, lane.extents);
      const volume = volumeOf(extents);
      if ((rows * volume - usedVolume) * msPerVolume > MOST_WASTED_RUNS * fixedMs) break;
      // A lane may hold more than a run does.
      const runsMs = Math.ceil(rows / limit) * fixedMs + padded(rows) * volume * msPerVolume;
      const totalMs = (leastMs[start - 1] ?? 0) + runsMs;
      if (totalMs <= least) [least, bestStart] = [totalMs, start];
    }
    leastMs.push(least);
    starts.push(bestStart);
  }
  let last = lanes.length - 1;
  while (starts[last]! > place) last = starts[last]! - 1;
  return [starts[last]!, last];
}

/** Raises each extent to the other's, in place: this is done for every pair of lanes. */
function raise(extents: number[], others: readonly number[]): void {
  for (let axis = 0; axis < extents.length; axis++) {
    if (others[axis]! > extents[axis]!) extents[axis] = others[axis]!;
  }
}
