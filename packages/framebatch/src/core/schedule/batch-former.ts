import type { BatchPlan } from "./batch-plan.js";
import type { CostModel } from "../cost/cost-model.js";
import { enclosing, volumeOf } from "../shape.js";
import { PRIORITIES } from "../queue/priority.js";
import type { QueuedRequest } from "../queue/queued-request.js";
import type { RequestQueue } from "../queue/request-queue.js";

/**
 * Background requests join a batch of a more urgent leader only while they lengthen the predicted run by at most this
 * share.
 */
const MAX_BACKGROUND_DELAY_SHARE = 0.5;

const BACKGROUND = PRIORITIES.indexOf("background");

/**
 * Takes at most `size` rows of a plan out of the queue: the leader, then urgent requests, then background requests that
 * lengthen the run only a little. Always takes the leader. Returns the extents that hold all rows taken.
 *
 * @param take removes a row from the queue
 */
export function formBatch<Item, Result>(
  queue: RequestQueue<Item, Result>,
  { leader, lanes }: BatchPlan<Item, Result>,
  size: number,
  cost: CostModel,
  take: (row: QueuedRequest<Item, Result>) => void,
): readonly number[] {
  queue.led(leader);
  take(leader);
  let taken = 1;
  let { extents } = leader.shape;
  for (let rank = 0; rank < PRIORITIES.length; rank++) {
    const isGuest = rank > leader.rank && rank === BACKGROUND;
    const longestMs = isGuest ? cost.predict(taken, volumeOf(extents)) * (1 + MAX_BACKGROUND_DELAY_SHARE) : Infinity;
    for (const lane of lanes) {
      while (taken < size) {
        const row = lane.requests.head(rank);
        if (row === undefined) break;
        const together = enclosing(extents, row.shape.extents);
        if (isGuest && cost.predict(taken + 1, volumeOf(together)) > longestMs) break;
        take(row);
        taken += 1;
        extents = together;
      }
    }
  }
  return extents;
}
