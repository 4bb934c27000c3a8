import type { CostModel } from "../cost/cost-model.js";
import { enclosing, volumeOf } from "../shape.js";
import type { Lane } from "../queue/lanes.js";
import { lanesToBatch } from "./look-ahead.js";
import { moreUrgentOf, type QueuedRequest } from "../queue/queued-request.js";
import type { RequestQueue } from "../queue/request-queue.js";

/** The requests that may run in the leader's batch, before any of them is taken out of the queue. */
export interface BatchPlan<Item, Result> {
  /** The request that the batch is formed around. */
  readonly leader: QueuedRequest<Item, Result>;
  /** A request of another lane that would time out in a later run; `null` if there is none. */
  readonly rescued: QueuedRequest<Item, Result> | null;
  /** The leader's own lane first, then the nearest in size. */
  readonly lanes: readonly Lane<Item, Result>[];
  /** Number of requests in these lanes, at most the maximum batch size. */
  readonly size: number;
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

/** A request of another lane is added before its timeout only if it lengthens the run by at most this share. */
const RESCUE_SHARE = 0.5;

/**
 * Chooses the requests that run with the leader. The plan contains:
 * - the leader's own lane;
 * - the lanes that are cheapest to run with it, unless they would make the leader miss its deadline;
 * - one more request that would time out if it waited for the next run.
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
  const inTime = isTooLong ? planOf(leader, plan.lanes.slice(0, 1), maxSize) : plan;
  return withRescued(inTime, near.lanes, maxSize, cost, startMs);
}

function planOf<Item, Result>(
  leader: QueuedRequest<Item, Result>,
  lanes: readonly Lane<Item, Result>[],
  maxSize: number,
): BatchPlan<Item, Result> {
  const waiting = lanes.reduce((sum, lane) => sum + lane.requests.size, 0);
  const extents = lanes.map((lane) => lane.extents).reduce(enclosing);
  return { leader, rescued: null, lanes, size: Math.min(maxSize, waiting), extents, volume: volumeOf(extents) };
}

function withRescued<Item, Result>(
  plan: BatchPlan<Item, Result>,
  near: readonly Lane<Item, Result>[],
  maxSize: number,
  cost: CostModel,
  startMs: number,
): BatchPlan<Item, Result> {
  const rescued = mostUrgentOf(near, plan);
  if (rescued === undefined || maxSize < 2) return plan;
  const { leader, size, volume } = plan;
  const runMs = cost.predict(size, volume);
  const isLateAlone = startMs + runMs + cost.predict(1, volumeOf(rescued.shape.extents)) > rescued.timeoutAtMs;
  const joint = { size: Math.min(maxSize, size + 1), extents: enclosing(plan.extents, rescued.shape.extents) };
  const jointMs = cost.predict(joint.size, volumeOf(joint.extents));
  const isInTime = startMs + jointMs <= Math.min(rescued.timeoutAtMs, leader.deadlineMs);
  if (!isLateAlone || !isInTime || jointMs > runMs * (1 + RESCUE_SHARE)) return plan;
  return { ...plan, ...joint, rescued, volume: volumeOf(joint.extents) };
}

/** Returns the most urgent request of the leader's priority in the lanes outside the plan, if it has a timeout. */
function mostUrgentOf<Item, Result>(
  near: readonly Lane<Item, Result>[],
  { leader, lanes }: BatchPlan<Item, Result>,
): QueuedRequest<Item, Result> | undefined {
  let first: QueuedRequest<Item, Result> | undefined;
  for (const lane of near) {
    if (!lanes.includes(lane)) first = moreUrgentOf(first, lane.requests.head(leader.rank));
  }
  return first?.timeoutAtMs === Infinity ? undefined : first;
}
