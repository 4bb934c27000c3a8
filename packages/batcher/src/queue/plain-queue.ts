import type { PlannedLane } from "./lanes.js";
import { BACKGROUND } from "./priority.js";
import type { QueuedRequest } from "./queued-request.js";
import { isInQueue } from "./urgency-queue.js";

/** Number of removed requests that may stay before a sweep is worth its cost. */
const SWEEP_SLACK = 64;

/**
 * Queued requests of one shape and one priority that are due in the order of their arrival, as those of nearly all pages
 * are: an array. It is a lane of its own. Removal is lazy, as in `OrderedQueue`.
 */
export class PlainQueue<Item, Result> implements PlannedLane<Item, Result> {
  /** Number of queued requests. Only this class changes it. */
  size = 0;
  /** In the order of arrival. Those before `#start` have been dropped. */
  #all: QueuedRequest<Item, Result>[] = [];
  #start = 0;

  /** A lane is its own queue of requests. */
  get requests(): this {
    return this;
  }

  get extents(): readonly number[] {
    return this.first()?.shape.extents ?? [];
  }

  get urgent(): number {
    return this.upTo(BACKGROUND - 1);
  }

  /** Whether a request may follow those that are queued. */
  takes({ rank, shape, sequence, dueMs }: QueuedRequest<Item, Result>): boolean {
    const last = this.#all[this.#all.length - 1];
    return (
      last === undefined ||
      (rank === last.rank &&
        sequence > last.sequence &&
        dueMs >= last.dueMs &&
        shape.group === last.shape.group &&
        isEqual(shape.extents, last.shape.extents))
    );
  }

  push(request: QueuedRequest<Item, Result>): void {
    this.#all.push(request);
    this.size += 1;
  }

  /** Uncounts a request that was queued until now. */
  removed(): void {
    this.size -= 1;
    if (this.size === 0) this.takeAll();
    else if (this.#all.length > 2 * this.size + SWEEP_SLACK) this.#sweep();
  }

  first(): QueuedRequest<Item, Result> | undefined {
    for (; this.#start < this.#all.length; this.#start += 1) {
      const request = this.#all[this.#start]!;
      if (isInQueue(request)) return request;
    }
    return undefined;
  }

  head(rank: number): QueuedRequest<Item, Result> | undefined {
    const first = this.first();
    return first?.rank === rank ? first : undefined;
  }

  /** Number of queued requests of at least this priority. */
  upTo(rank: number): number {
    const first = this.first();
    return first !== undefined && first.rank <= rank ? this.size : 0;
  }

  /** Removes and returns all. */
  takeAll(): readonly QueuedRequest<Item, Result>[] {
    const all = this.#all.filter(isInQueue);
    this.#all.length = 0;
    this.#start = 0;
    this.size = 0;
    return all;
  }

  #sweep(): void {
    this.#all = this.#all.slice(this.#start).filter(isInQueue);
    this.#start = 0;
  }
}

function isEqual(a: readonly number[], b: readonly number[]): boolean {
  return a === b || (a.length === b.length && a.every((size, axis) => size === b[axis]));
}
