import type { BatchPlan } from "./batch-plan.js";
import { enclosing } from "../queue/shape.js";
import { PRIORITIES } from "../queue/priority.js";
import type { QueuedRequest } from "../queue/queued-request.js";
import type { RequestQueue } from "../queue/request-queue.js";

/**
 * Takes at most `size` rows of a plan out of the queue: the leader, then the others, the most urgent first. Always takes
 * the leader. Returns the extents that hold all rows taken.
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
