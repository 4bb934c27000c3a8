import type { CostModel } from "../cost/cost-model.js";
import { enclosing, volumeOf } from "../shape.js";
import type { Lane } from "../queue/lanes.js";
import { ridingTogether } from "./look-ahead.js";
import { isMoreUrgent, type QueuedRequest } from "../queue/queued-request.js";
import type { RequestQueue } from "../queue/request-queue.js";

/** Who rides in the leader's batch, before anyone is taken out of the queue. */
export interface BatchPlan<Item, Result> {
  readonly leader: QueuedRequest<Item, Result>;
  /** One of another lane, whose deadline would pass in a later run. */
  readonly rescued: QueuedRequest<Item, Result> | null;
  /** The leader's own lane first, then the nearest in size. */
  readonly lanes: readonly Lane<Item, Result>[];
  /** Requests in these lanes, as far as a batch has room. */
  readonly size: number;
  /** Sizes that hold a row of the batch, and their volume. */
  readonly extents: readonly number[];
  readonly volume: number;
}

/** When the batch would run. */
export interface Turn {
  /** When the engine would start it. */
  readonly startMs: number;
  /** The part of a run's time that passes while the engine is at another batch, in milliseconds. */
  readonly hiddenMs: number;
}

/** A request of another lane is taken along for its deadline as long as the run gets no longer by more than this share. */
const RESCUE_SHARE = 0.5;

/**
 * Chooses who rides with the leader: its own lane in any case; the lanes that are cheapest to run together with it, unless
 * that would make it miss its deadline; and one request more whose deadline would pass while it waits for the next run.
 */
export function planBatch<Item, Result>(
  queue: RequestQueue<Item, Result>,
  leader: QueuedRequest<Item, Result>,
  maxSize: number,
  cost: CostModel,
  { startMs, hiddenMs }: Turn,
): BatchPlan<Item, Result> {
  const near = queue.lanesAround(leader);
  const plan = planOf(leader, ridingTogether(near, maxSize, cost, hiddenMs), maxSize);
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

/** The first to lead one of the lanes that are left behind, if it has a time limit and is no less urgent than the leader. */
function mostUrgentOf<Item, Result>(
  near: readonly Lane<Item, Result>[],
  { leader, lanes }: BatchPlan<Item, Result>,
): QueuedRequest<Item, Result> | undefined {
  let first: QueuedRequest<Item, Result> | undefined;
  for (const lane of near) {
    const head = lanes.includes(lane) ? undefined : lane.requests.head(leader.rank);
    if (head !== undefined && (first === undefined || isMoreUrgent(head, first))) first = head;
  }
  return first?.timeoutAtMs === Infinity ? undefined : first;
}
