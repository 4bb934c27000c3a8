import { OrderedQueue } from "./ordered-queue.js";
import { BACKGROUND, PRIORITIES } from "./priority.js";
import { isDueBefore, type QueuedRequest } from "./queued-request.js";

/**
 * Queued requests by priority, and within each priority the earliest due first. Removal is lazy: the caller changes the
 * request's state, rank or row, and calls `removed`.
 *
 * Invariant: an entry of rank r is live if and only if its request is queued, has rank r, and is not represented by a
 * stand-in.
 */
export class UrgencyQueue<Item, Result> {
  readonly #byRank = PRIORITIES.map(
    (_, rank) =>
      new OrderedQueue<QueuedRequest<Item, Result>>(
        isDueBefore,
        (request) => request.rank === rank && isInQueue(request),
      ),
  );

  #size = 0;

  /** Number of live requests of all ranks. */
  get size(): number {
    return this.#size;
  }

  /** Number of live requests that are more urgent than background ones. */
  get urgent(): number {
    return this.#size - this.#byRank[BACKGROUND]!.size;
  }

  push(request: QueuedRequest<Item, Result>): void {
    this.#byRank[request.rank]!.push(request);
    this.#size += 1;
  }

  /** Uncounts a request that was live in `rank` until now. */
  removed(rank: number): void {
    this.#byRank[rank]!.removed();
    this.#size -= 1;
  }

  /** Returns the first live request of a rank. */
  head(rank: number): QueuedRequest<Item, Result> | undefined {
    return this.#byRank[rank]!.head();
  }

  /** Returns the first live request of the highest priority that has one. */
  first(): QueuedRequest<Item, Result> | undefined {
    return this.#byRank.find(({ size }) => size > 0)?.head();
  }
}

/** Whether a request has a place of its own in the queue. */
export function isInQueue<Item, Result>({ state, row }: QueuedRequest<Item, Result>): boolean {
  return state === "queued" && row === undefined;
}
