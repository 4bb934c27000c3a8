import { type ItemShape, laneKeyOf, laneOrderOf } from "./shape.js";
import { isInQueue, OrderedQueue, UrgencyQueue } from "./ordered-queue.js";
import { BACKGROUND, type QueuedRequest } from "./request.js";

/** Queued requests of similar shapes, which waste little padding when they run together. */
export interface PlannedLane<Item, Result> {
  /** Extents that hold every request that has joined this lane since it was last empty. */
  readonly extents: readonly number[];
  readonly requests: Pick<UrgencyQueue<Item, Result>, "size" | "urgent" | "head">;
}

/** A lane of the queue. */
export interface Lane<Item, Result> extends PlannedLane<Item, Result> {
  readonly key: string;
  /** Sort key among the lanes of a group. Lanes of similar sizes are neighbours. */
  readonly order: number;
  extents: readonly number[];
  readonly requests: UrgencyQueue<Item, Result>;
}

/** A lane and its neighbours by size. `place` is the index of the lane itself. */
export interface Neighbourhood<Item, Result> {
  /** Lanes in order of size. */
  readonly lanes: readonly PlannedLane<Item, Result>[];
  readonly place: number;
}

/** Lanes whose requests may share a batch, in order of size. */
export class LaneGroup<Item, Result> {
  readonly #byKey = new Map<string, Lane<Item, Result>>();
  readonly #ordered: Lane<Item, Result>[] = [];

  get size(): number {
    return this.#ordered.length;
  }

  /** All lanes, in order of size. */
  get lanes(): readonly Lane<Item, Result>[] {
    return this.#ordered;
  }

  laneFor(shape: ItemShape): Lane<Item, Result> {
    const key = laneKeyOf(shape);
    return this.#byKey.get(key) ?? this.#add(key, shape);
  }

  delete(lane: Lane<Item, Result>): void {
    this.#byKey.delete(lane.key);
    this.#ordered.splice(this.#ordered.indexOf(lane), 1);
  }

  /** Returns a lane, and at most `reach` lanes on either side of it. */
  around(lane: Lane<Item, Result>, reach: number): Neighbourhood<Item, Result> {
    if (this.size === 1) return { lanes: this.#ordered, place: 0 };
    const place = this.#ordered.indexOf(lane);
    const first = Math.max(0, place - reach);
    return { lanes: this.#ordered.slice(first, place + reach + 1), place: place - first };
  }

  #add(key: string, { extents }: ItemShape): Lane<Item, Result> {
    const order = laneOrderOf(extents);
    const lane = { key, order, extents, requests: new UrgencyQueue<Item, Result>() };
    this.#byKey.set(key, lane);
    const next = this.#ordered.findIndex((other) => other.order > order);
    this.#ordered.splice(next < 0 ? this.size : next, 0, lane);
    return lane;
  }
}

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
