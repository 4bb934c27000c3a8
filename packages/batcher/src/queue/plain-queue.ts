import type { PlannedLane } from "./lanes.js";
import { OrderedQueue, isInQueue } from "./ordered-queue.js";
import { BACKGROUND } from "./priority.js";
import type { QueuedRequest } from "./queued-request.js";

/**
 * Queued requests of one shape and one priority that are due in the order of their arrival, as those of nearly all
 * pages are. It is a lane of its own.
 */
export class PlainQueue<Item, Result> implements PlannedLane<Item, Result> {
  /** Number of queued requests. Only this class changes it. */
  size = 0;
  readonly #inOrder = new OrderedQueue<QueuedRequest<Item, Result>>(() => false, isInQueue);
  #last: QueuedRequest<Item, Result> | undefined = undefined;

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
    const last = this.#last;
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
    this.#inOrder.push(request);
    this.#last = request;
    this.size += 1;
  }

  /** Uncounts a request that was queued until now. */
  removed(): void {
    this.#inOrder.removed();
    this.size -= 1;
    if (this.size === 0) this.#last = undefined;
  }

  first(): QueuedRequest<Item, Result> | undefined {
    return this.#inOrder.head();
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

  /** Removes and returns all, in the order of arrival. */
  takeAll(): readonly QueuedRequest<Item, Result>[] {
    this.#last = undefined;
    this.size = 0;
    return this.#inOrder.takeAll();
  }
}

function isEqual(a: readonly number[], b: readonly number[]): boolean {
  return a === b || (a.length === b.length && a.every((size, axis) => size === b[axis]));
}
