import { OrderedQueue } from "./ordered-queue.js";
import { PRIORITIES } from "./priority.js";
import type { QueuedRequest } from "./queued-request.js";

/** Returns whether one request comes before another of the same priority. */
export type Precedes<Item, Result> = (a: QueuedRequest<Item, Result>, b: QueuedRequest<Item, Result>) => boolean;

/**
 * Queued requests by priority, and within each priority in a given order: earliest due first, or oldest first. Removal
 * is lazy: the caller changes the request's state and calls `removed`. Its entry is skipped when it reaches the top, or
 * swept once such entries outnumber the live ones. Every operation therefore takes O(log n) amortised time.
 *
 * Invariant: an entry in the heap of rank r is live if and only if its request is queued, has rank r, and is not
 * represented by a stand-in.
 */
export class UrgencyQueue<Item, Result> {
  readonly #heaps: readonly OrderedQueue<QueuedRequest<Item, Result>>[];
  readonly #live = PRIORITIES.map(() => 0);
  #size = 0;

  constructor(precedes: Precedes<Item, Result>) {
    this.#heaps = PRIORITIES.map(() => new OrderedQueue(precedes));
  }

  /** Number of live requests of all ranks. */
  get size(): number {
    return this.#size;
  }

  /** Number of live requests of one rank. */
  sizeOf(rank: number): number {
    return this.#live[rank]!;
  }

  push(request: QueuedRequest<Item, Result>): void {
    this.#heaps[request.rank]!.push(request);
    this.#live[request.rank]! += 1;
    this.#size += 1;
  }

  /** Uncounts a request that was live in `rank` until now. The caller has already changed its state, rank or row. */
  removed(rank: number): void {
    this.#live[rank]! -= 1;
    this.#size -= 1;
    const heap = this.#heaps[rank]!;
    if (this.#live[rank] === 0) heap.clear();
    else if (heap.size > 2 * this.#live[rank]! + SWEEP_SLACK) heap.retain((request) => isLive(request, rank));
  }

  /** Returns the first live request of a rank. */
  head(rank: number): QueuedRequest<Item, Result> | undefined {
    const heap = this.#heaps[rank]!;
    for (;;) {
      const request = heap.peek();
      if (request === undefined || isLive(request, rank)) return request;
      heap.pop();
    }
  }
}

/** Number of dead entries that may stay before a sweep is worth its cost. */
const SWEEP_SLACK = 64;

function isLive<Item, Result>(request: QueuedRequest<Item, Result>, rank: number): boolean {
  return request.state === "queued" && request.rank === rank && request.row === undefined;
}
