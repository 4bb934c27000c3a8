import type { CostModel } from "../cost/cost-model.js";
import { enclosing, volumeOf } from "../queue/shape.js";
import type { PlannedLane, Neighbourhood } from "../queue/lanes.js";
import { PRIORITIES, type QueuedRequest } from "../queue/request.js";
import type { RequestQueue } from "../queue/request-queue.js";

/** The requests that may run in the leader's batch, before any of them is taken out of the queue. */
export interface BatchPlan<Item, Result> {
  /** The request that the batch is formed around. */
  readonly leader: QueuedRequest<Item, Result>;
  /** The leader's own lane first, then the nearest in size. */
  readonly lanes: readonly PlannedLane<Item, Result>[];
  /** Number of requests in these lanes, at most the maximum batch size. */
  readonly size: number;
  /** Number of requests at which the batch is full: no other one, of whatever priority, could join it. */
  readonly fullSize: number;
  /** Extents that hold every row of the batch, and their volume. */
  readonly extents: readonly number[];
  readonly volume: number;
}

/** When the batch would run. */
export interface EngineTurn {
  /** When the engine would start the batch. */
  readonly startMs: number;
  /** The part of the run time that overlaps with another batch on the engine, in milliseconds. */
  readonly hiddenMs: number;
}

/**
 * Chooses the requests that run with the leader: its own lane, and the lanes that are cheapest to run with it, unless
 * they would make the leader miss its deadline.
 */
export function planBatch<Item, Result>(
  queue: RequestQueue<Item, Result>,
  leader: QueuedRequest<Item, Result>,
  maxSize: number,
  cost: CostModel,
  { startMs, hiddenMs }: EngineTurn,
): BatchPlan<Item, Result> {
  const near = queue.lanesAround(leader);
  const plan = planOf(leader, lanesToBatch(near, maxSize, cost, hiddenMs), maxSize);
  if (near.lanes.length === 1) return plan;
  const isTooLong = startMs + cost.predict(plan.size, plan.volume) > leader.deadlineMs;
  return isTooLong ? planOf(leader, plan.lanes.slice(0, 1), maxSize) : plan;
}

function planOf<Item, Result>(
  leader: QueuedRequest<Item, Result>,
  lanes: readonly PlannedLane<Item, Result>[],
  maxSize: number,
): BatchPlan<Item, Result> {
  const waiting = lanes.reduce((sum, lane) => sum + lane.requests.size, 0);
  const extents = lanes.map((lane) => lane.extents).reduce(enclosing);
  const size = Math.min(maxSize, waiting);
  return { leader, lanes, size, fullSize: maxSize, extents, volume: volumeOf(extents) };
}

/**
 * Takes at most `size` rows of a plan out of the queue: the leader, then the others, the most urgent first. Always
 * takes the leader. Returns the extents that hold all rows taken.
 *
 * @param take removes a row from the queue
 */
export function formBatch<Item, Result>(
  queue: RequestQueue<Item, Result>,
  { leader, lanes }: BatchPlan<Item, Result>,
  size: number,
  take: (row: QueuedRequest<Item, Result>) => void,
): readonly number[] {
  queue.led(leader);
  take(leader);
  let taken = 1;
  let { extents } = leader.shape;
  for (let rank = 0; rank < PRIORITIES.length; rank++) {
    for (const lane of lanes) {
      while (taken < size) {
        const row = lane.requests.head(rank);
        if (row === undefined) break;
        extents = enclosing(extents, row.shape.extents);
        take(row);
        taken += 1;
      }
    }
  }
  return extents;
}

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
function lanesToBatch<Item, Result>(
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
