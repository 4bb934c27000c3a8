import type { CostModel } from "../cost/cost-model.js";
import { volumeOf } from "../queue/shape.js";
import type { Neighbourhood, PlannedLane } from "../queue/lanes.js";

/**
 * A range of lanes is not considered if its padding costs more than this many further runs, nor is any range that
 * contains it.
 */
const MAX_WASTED_RUNS = 4;

/**
 * Returns the lanes to run with the leader's lane. The lanes, in order of size, are divided into ranges, each of which
 * is one run. The division minimises the total time for the whole queue. A run costs what the cost model's line
 * predicts: a fixed part, and the rows times the volume that holds the largest row. The result is the range with the
 * leader's lane, which comes first, then the nearest lanes.
 *
 * @param limit maximum number of rows in a run
 * @param hiddenMs part of a run's fixed time to leave out, because it overlaps with another run
 */
export function lanesToBatch<Item, Result>(
  { lanes, place }: Neighbourhood<Item, Result>,
  limit: number,
  { line, padded }: CostModel,
  hiddenMs: number,
): readonly PlannedLane<Item, Result>[] {
  const own = lanes[place]!;
  if (lanes.length === 1 || own.requests.size >= limit) return [own];
  const price = { fixedMs: Math.max(0, line.fixedMs - hiddenMs), msPerVolume: line.msPerVolume, padded };
  const [first, last] = rangeAround(place, lanes, limit, price);
  const together = [own];
  for (let step = 1; together.length <= last - first; step++) {
    if (place - step >= first) together.push(lanes[place - step]!);
    if (place + step <= last) together.push(lanes[place + step]!);
  }
  return together;
}

/** The cost of a run, in milliseconds: a fixed part, and a part per volume. */
interface Price {
  readonly fixedMs: number;
  readonly msPerVolume: number;
  readonly padded: CostModel["padded"];
}

/** The first and last lane of the range that contains `place`, in the cheapest division of all lanes. */
function rangeAround<Item, Result>(
  place: number,
  lanes: readonly PlannedLane<Item, Result>[],
  limit: number,
  { fixedMs, msPerVolume, padded }: Price,
): readonly [first: number, last: number] {
  /** For each lane: the least time for all lanes up to it, and the start of the last range in that division. */
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
      if ((rows * volume - usedVolume) * msPerVolume > MAX_WASTED_RUNS * fixedMs) break;
      // A lane may hold more requests than one run.
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

/** Raises each extent to the other's. Works in place, because it runs for every pair of lanes. */
function raise(extents: number[], others: readonly number[]): void {
  for (let axis = 0; axis < extents.length; axis++) {
    if (others[axis]! > extents[axis]!) extents[axis] = others[axis]!;
  }
}
