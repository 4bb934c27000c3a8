import { OrderedQueue } from "./ordered-queue.js";
import { type CompletedBatch, PRIORITIES, QueuedRequest, type Sink, timesOutBefore } from "./request.js";

/** A stand-in has no caller and no outcome of its own. Both belong to its sharers, the requests that share the row. */
const NO_OWNER = { cancel() {}, setRank() {} };
const NO_SINK = { resolve() {}, reject() {} };

/**
 * Identical requests (sharers) that share one row. A stand-in represents them in the queue. It has the arrival order of
 * the oldest sharer, the priority of the most urgent one, and the earliest timeout. Adding and deleting a sharer take
 * O(log n) amortised time.
 *
 * Invariant: until the row leaves the queue, every sharer is queued.
 */
export class SharedRow<Item, Result> {
  /** The sharers that have not settled. */
  readonly sharers = new Set<QueuedRequest<Item, Result>>();
  /** `sharers` in the order in which they joined. To find its first member, a set steps over all that were deleted. */
  readonly #joined = new OrderedQueue<QueuedRequest<Item, Result>>(
    () => false,
    (sharer) => sharer.row === this,
  );
  readonly #countByRank = PRIORITIES.map(() => 0);
  /** Sharers with a timeout. */
  readonly #limited = new OrderedQueue<QueuedRequest<Item, Result>>(timesOutBefore, (sharer) => sharer.row === this);
  #standIn: QueuedRequest<Item, Result>;

  constructor(first: QueuedRequest<Item, Result>) {
    this.add(first);
    this.#standIn = this.#represent(first);
  }

  get standIn(): QueuedRequest<Item, Result> {
    return this.#standIn;
  }

  /** The sharer that arrived first. There is one until the last sharer is deleted. */
  get oldest(): QueuedRequest<Item, Result> {
    return this.#joined.head() ?? this.#standIn;
  }

  add(sharer: QueuedRequest<Item, Result>): void {
    sharer.row = this;
    this.sharers.add(sharer);
    this.#joined.push(sharer);
    this.#countByRank[sharer.rank]! += 1;
    if (sharer.timeoutAtMs !== Infinity) this.#limited.push(sharer);
  }

  delete(sharer: QueuedRequest<Item, Result>): void {
    sharer.row = undefined;
    this.sharers.delete(sharer);
    this.#joined.removed();
    this.#countByRank[sharer.rank]! -= 1;
    if (sharer.timeoutAtMs !== Infinity) this.#limited.removed();
    this.#leaveItem(sharer);
  }

  /**
   * The item that runs stays with a sharer until the answer: one that leaves earlier swaps items with one that stays.
   */
  #leaveItem({ sink }: QueuedRequest<Item, Result>): void {
    const heir = this.#joined.head();
    if (heir?.state !== "running" || !(sink instanceof EndSink) || !(heir.sink instanceof EndSink)) return;
    if (sink.item === this.#standIn.item) [sink.item, heir.sink.item] = [heir.sink.item, sink.item];
  }

  setRank(sharer: QueuedRequest<Item, Result>, rank: number): void {
    this.#countByRank[sharer.rank]! -= 1;
    this.#countByRank[rank]! += 1;
    sharer.rank = rank;
  }

  /**
   * Creates a new stand-in if the current one no longer matches its sharers, because the sort keys of a queued request
   * must not change. Returns the old one, which must leave the queue, or `null` if it still matches.
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
    return this.#limited.head()?.timeoutAtMs ?? Infinity;
  }
}

/** Passes the outcome of a request on, then ends an item: its own, or that of an identical request. */
export class EndSink<Item, Result> implements Sink<Result> {
  readonly #sink: Sink<Result>;
  readonly #end: (item: Item) => void;
  item: Item;

  constructor(sink: Sink<Result>, item: Item, end: (item: Item) => void) {
    this.#sink = sink;
    this.item = item;
    this.#end = end;
  }

  resolve(result: Result, batch: CompletedBatch | null, enqueuedAtMs: number): void {
    try {
      this.#sink.resolve(result, batch, enqueuedAtMs);
    } finally {
      this.#end(this.item);
    }
  }

  reject(error: unknown): void {
    try {
      this.#sink.reject(error);
    } finally {
      this.#end(this.item);
    }
  }
}
