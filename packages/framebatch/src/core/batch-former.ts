import type { CostModel } from "./cost-model.js";
import { enclosing, volumeOf } from "./item-volume.js";
import { PRIORITIES } from "./priority.js";
import type { QueuedRequest } from "./queued-request.js";
import type { Lane, RequestQueue } from "./request-queue.js";

/** Which lanes ride together in the leader's batch, before anyone is taken out of the queue. */
export interface BatchPlan<Item, Result> {
  readonly leader: QueuedRequest<Item, Result>;
  /** The leader's own lane first, then the nearest in size. */
  readonly lanes: readonly Lane<Item, Result>[];
  /** Requests in these lanes, as far as a batch has room. */
  readonly size: number;
  /** Volume of one row of the batch. */
  readonly volume: number;
}

/** Who rides together, and the sizes that hold them all. */
export interface FormedBatch<Item, Result> {
  readonly members: readonly QueuedRequest<Item, Result>[];
  readonly extents: readonly number[];
}

/** Background requests ride with urgent ones as long as they do not make the run longer by more than this share. */
const FREE_RIDE_SHARE = 0.5;

const BACKGROUND = PRIORITIES.indexOf("background");

/**
 * Chooses who rides with the leader: its own lane in any case, and then, nearest in size first, each lane that is
 * predicted to cost less in the same run than in one of its own.
 */
export function planBatch<Item, Result>(
  queue: RequestQueue<Item, Result>,
  leader: QueuedRequest<Item, Result>,
  maxSize: number,
  cost: CostModel,
): BatchPlan<Item, Result> {
  const [own, ...others] = queue.lanesFor(leader);
  const lanes = [own!];
  let { extents } = own!;
  let size = Math.min(maxSize, own!.requests.size);
  for (const lane of nearestFirst(others, volumeOf(extents))) {
    const joining = Math.min(lane.requests.size, maxSize - size);
    if (joining <= 0) break;
    const together = enclosing(extents, lane.extents);
    const apartMs = cost.predict(size, volumeOf(extents)) + cost.predict(joining, volumeOf(lane.extents));
    if (cost.predict(size + joining, volumeOf(together)) > apartMs) continue;
    lanes.push(lane);
    extents = together;
    size += joining;
  }
  return { leader, lanes, size, volume: volumeOf(extents) };
}

/** Takes at most `size` requests of a plan out of the queue: the leader, urgent ones, and background ones that ride free. */
export function formBatch<Item, Result>(
  queue: RequestQueue<Item, Result>,
  { leader, lanes, volume }: BatchPlan<Item, Result>,
  size: number,
  cost: CostModel,
): FormedBatch<Item, Result> {
  queue.led(leader);
  queue.remove(leader, "running");
  const members = [leader];
  let { extents } = leader.shape;
  for (let rank = 0; rank < PRIORITIES.length; rank++) {
    const room = rank > leader.rank && rank === BACKGROUND ? freeSize(members.length, size, volume, cost) : size;
    for (const lane of lanes) {
      while (members.length < room) {
        const request = lane.requests.head(rank);
        if (request === undefined) break;
        queue.remove(request, "running");
        extents = enclosing(extents, request.shape.extents);
        members.push(request);
      }
    }
  }
  return { members, extents };
}

function nearestFirst<Item, Result>(
  lanes: readonly Lane<Item, Result>[],
  volume: number,
): readonly Lane<Item, Result>[] {
  if (lanes.length < 2) return lanes;
  const distance = (lane: Lane<Item, Result>): number => Math.abs(Math.log(volumeOf(lane.extents) / volume));
  return lanes.toSorted((a, b) => distance(a) - distance(b));
}

/** How many rows fit for next to nothing: into padding, or into a run that takes hardly longer for them. */
function freeSize(urgent: number, size: number, volume: number, cost: CostModel): number {
  const allowedMs = cost.predict(urgent, volume) * (1 + FREE_RIDE_SHARE);
  let free = urgent;
  while (free < size && cost.predict(free + 1, volume) <= allowedMs) free += 1;
  return free;
}
