import type { BatchPlan } from "./batch-plan.js";
import type { CostModel } from "./cost-model.js";
import { enclosing, volumeOf } from "./item-volume.js";
import { PRIORITIES } from "./priority.js";
import type { QueuedRequest } from "./queued-request.js";
import type { RequestQueue } from "./request-queue.js";

/** Who rides together, and the sizes that hold them all. */
export interface FormedBatch<Item, Result> {
  readonly members: readonly QueuedRequest<Item, Result>[];
  readonly extents: readonly number[];
}

/** Background requests ride with urgent ones as long as they do not make the run longer by more than this share. */
const FREE_RIDE_SHARE = 0.5;

const BACKGROUND = PRIORITIES.indexOf("background");

/** Takes at most `size` requests of a plan out of the queue: the leader, urgent ones, and background ones that ride free. */
export function formBatch<Item, Result>(
  queue: RequestQueue<Item, Result>,
  { leader, rescued, lanes }: BatchPlan<Item, Result>,
  size: number,
  cost: CostModel,
): FormedBatch<Item, Result> {
  queue.led(leader);
  const members: QueuedRequest<Item, Result>[] = [];
  let { extents } = leader.shape;
  const take = (request: QueuedRequest<Item, Result>, together: readonly number[]): void => {
    queue.remove(request, "running");
    members.push(request);
    extents = together;
  };
  take(leader, extents);
  if (rescued !== null && size > 1) take(rescued, enclosing(extents, rescued.shape.extents));
  for (let rank = 0; rank < PRIORITIES.length; rank++) {
    const isGuest = rank > leader.rank && rank === BACKGROUND;
    const longestMs = isGuest ? cost.predict(members.length, volumeOf(extents)) * (1 + FREE_RIDE_SHARE) : Infinity;
    for (const lane of lanes) {
      while (members.length < size) {
        const request = lane.requests.head(rank);
        if (request === undefined) break;
        const together = enclosing(extents, request.shape.extents);
        if (isGuest && cost.predict(members.length + 1, volumeOf(together)) > longestMs) break;
        take(request, together);
      }
    }
  }
  return { members, extents };
}
