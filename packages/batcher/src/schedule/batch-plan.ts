import type { CostModel } from "../cost/cost-model.js";
import { enclosing, volumeOf } from "../queue/shape.js";
import type { PlannedLane } from "../queue/lanes.js";
import { lanesToBatch } from "./look-ahead.js";
import type { QueuedRequest } from "../queue/queued-request.js";
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
