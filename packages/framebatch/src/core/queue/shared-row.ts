import { OrderedQueue } from "./ordered-queue.js";
import { PRIORITIES } from "./priority.js";
import { QueuedRequest } from "./queued-request.js";

/** Nobody holds a stand-in, and it has no outcome of its own: both belong to its riders. */
const NO_OWNER = { cancel() {}, setRank() {} };
const NO_SINK = { resolve() {}, reject() {} };

/** Riders that have left and may stay in the order of time limits before a sweep is worth its cost. */
const SWEEP_SLACK = 64;

/**
 * Identical requests that wait for one row. In the queue a stand-in represents them: as old as the oldest rider, as urgent as
 * the most urgent, and limited by the earliest time limit. Adding and deleting a rider are O(log n), amortised.
 *
 * Invariant: until the row leaves the queue, every rider is queued.
 */
export class SharedRow<Item, Result> {
  readonly riders = new Set<QueuedRequest<Item, Result>>();
  readonly #countByRank = PRIORITIES.map(() => 0);
  /** Riders with a time limit. One that has left is dropped when it comes to the top, or in a sweep. */
  readonly #limited = new OrderedQueue<QueuedRequest<Item, Result>>((a, b) => a.timeoutAtMs < b.timeoutAtMs);
  #standIn: QueuedRequest<Item, Result>;

  constructor(first: QueuedRequest<Item, Result>) {
    this.add(first);
    this.#standIn = this.#represent(first);
  }

  get standIn(): QueuedRequest<Item, Result> {
    return this.#standIn;
  }

  /** The rider that came first. There is always one until the last is deleted. */
  get oldest(): QueuedRequest<Item, Result> {
    const [oldest = this.#standIn] = this.riders;
    return oldest;
  }

  add(rider: QueuedRequest<Item, Result>): void {
    rider.row = this;
    this.riders.add(rider);
    this.#countByRank[rider.rank]! += 1;
    if (rider.timeoutAtMs !== Infinity) this.#limited.push(rider);
  }

  delete(rider: QueuedRequest<Item, Result>): void {
    rider.row = undefined;
    this.riders.delete(rider);
    this.#countByRank[rider.rank]! -= 1;
    if (this.#limited.size > 2 * this.riders.size + SWEEP_SLACK)
      this.#limited.retain((other) => this.riders.has(other));
  }

  setRank(rider: QueuedRequest<Item, Result>, rank: number): void {
    this.#countByRank[rider.rank]! -= 1;
    this.#countByRank[rank]! += 1;
    rider.rank = rank;
  }

  /**
   * Makes a new stand-in where the old one no longer tells of its riders, since what a request is ordered by must not change
   * while it is queued. Returns the old one, which is to leave the queue, or `null` if it still holds.
   */
  renew(): QueuedRequest<Item, Result> | null {
    const { oldest, standIn } = this;
    const isSame = standIn.sequence === oldest.sequence && standIn.rank === this.#rank();
    if (isSame && standIn.timeoutAtMs === this.#earliestLimitMs()) return null;
    standIn.state = "settled";
    this.#standIn = this.#represent(oldest);
    return standIn;
  }

  #represent(oldest: QueuedRequest<Item, Result>): QueuedRequest<Item, Result> {
    const { item, shape, contentKey, enqueuedAtMs, sequence, objectiveAtMs } = oldest;
    const standIn = new QueuedRequest<Item, Result>(NO_OWNER, {
      item,
      shape,
      sink: NO_SINK,
      key: undefined,
      contentKey,
      enqueuedAtMs,
      sequence,
      timeoutAtMs: this.#earliestLimitMs(),
      objectiveAtMs,
      rank: this.#rank(),
    });
    standIn.standAt(oldest);
    standIn.standsFor = this;
    return standIn;
  }

  #rank(): number {
    return this.#countByRank.findIndex((count) => count > 0);
  }

  #earliestLimitMs(): number {
    for (let next = this.#limited.peek(); next !== undefined; next = this.#limited.peek()) {
      if (this.riders.has(next)) return next.timeoutAtMs;
      this.#limited.pop();
    }
    return Infinity;
  }
}
