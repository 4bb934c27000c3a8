import { enclosing } from "./shape.js";
import { type Lane, LaneGroup, type Neighbourhood, PlainQueue } from "./lanes.js";
import { OrderedQueue, isInQueue } from "./ordered-queue.js";
import { BACKGROUND, isOlder, moreUrgentOf, PRIORITIES, type QueuedRequest, type RequestState } from "./request.js";
import { SharedRow } from "./shared-row.js";

/**
 * Empty single-lane groups are kept while there are at most this many groups, because most models have one such group,
 * which is often empty.
 */
const MAX_EMPTY_GROUPS = 16;

/** Maximum distance, in lanes by size, at which a lane can still affect the members of the leader's batch. */
const REACH = 64;

/**
 * All queued requests. Each request is in two orders at once: by priority and due time within its lane, which
 * determines the leader of the next batch and its other members; and by age among all, which finds requests that have
 * waited too long. Enqueueing, taking and removing a request take O(log n) amortised time. Finding the leader takes
 * time linear in the number of lanes.
 *
 * Requests that differ in nothing that orders them are in no order but that of their arrival, until one joins that
 * does.
 */
export class RequestQueue<Item, Result> {
  readonly #byAge = new OrderedQueue<QueuedRequest<Item, Result>>(isOlder, isInQueue);
  readonly #groups = new Map<string, LaneGroup<Item, Result>>();
  readonly #byKey = new Map<string, QueuedRequest<Item, Result>>();
  readonly #byContent = new Map<string, QueuedRequest<Item, Result>>();
  readonly #ageing = new Ageing();
  /** Number of queued rows of each rank. */
  readonly #countByRank = PRIORITIES.map(() => 0);
  #newest: QueuedRequest<Item, Result> | undefined = undefined;
  /** The queued request, if it is the only one and has not been with others. */
  #only: QueuedRequest<Item, Result> | undefined = undefined;
  /** All requests, if there were several and each may follow the one before; otherwise empty. */
  readonly #plain = new PlainQueue<Item, Result>();
  /** Number of queued rows. Identical requests that share a row count once. Only this class changes it. */
  size = 0;

  /** Number of queued rows that run before a new request of this rank, but for those that are due later. */
  upTo(rank: number): number {
    if (this.#only !== undefined) return this.#only.rank <= rank ? 1 : 0;
    if (this.#plain.size > 0) return this.#plain.upTo(rank);
    let rows = 0;
    for (let each = 0; each <= rank; each++) rows += this.#countByRank[each]!;
    return rows;
  }

  /** Number of queued rows that are more urgent than background ones. */
  get urgent(): number {
    return this.upTo(BACKGROUND - 1);
  }

  push(request: QueuedRequest<Item, Result>): void {
    if (request.contentKey !== undefined) this.#byContent.set(request.contentKey, request);
    if (this.size === 0) {
      this.#only = request;
      this.size = 1;
    } else if (this.#isPlain() && this.#plain.takes(request)) {
      this.#plain.push(request);
      this.size += 1;
    } else {
      this.#order();
      this.#insert(request);
    }
    if (request.objectiveAtMs !== Infinity) this.#followNewest(request);
    if (request.key !== undefined) this.#byKey.set(request.key, request);
  }

  /** Adds a request to the row of a queued one with the same content. @param twin the result of `withContent` */
  attach(request: QueuedRequest<Item, Result>, twin: QueuedRequest<Item, Result>): void {
    this.#order();
    const row = twin.standsFor ?? this.#share(twin);
    row.add(request);
    if (request.key !== undefined) this.#byKey.set(request.key, request);
    this.#renew(row);
  }

  /**
   * Removes a queued request and sets its state. For a stand-in, removes every request that it represents. Other
   * requests on a shared row stay.
   */
  remove(request: QueuedRequest<Item, Result>, state: Exclude<RequestState, "queued">): void {
    request.state = state;
    if (request.key !== undefined || request.contentKey !== undefined) this.#forget(request);
    if (request.row !== undefined) return this.#leaveRow(request, request.row);
    if (request === this.#only) {
      this.#only = undefined;
      this.size = 0;
    } else if (this.#plain.size > 0) {
      this.#plain.removed();
      this.size -= 1;
    } else this.#drop(request);
    if (request.standsFor !== undefined) for (const sharer of request.standsFor.sharers) this.#forget(sharer);
    if (this.size === 0) this.#newest = undefined;
  }

  /** Changes the priority of a queued request. */
  setRank(request: QueuedRequest<Item, Result>, rank: number): void {
    const { row } = request;
    if (request === this.#only) return void (request.rank = rank);
    this.#order();
    if (row === undefined) return this.#move(request, rank);
    row.setRank(request, rank);
    this.#renew(row);
  }

  /** Returns the queued request with this `key` option. */
  withKey(key: string | undefined): QueuedRequest<Item, Result> | undefined {
    return key === undefined ? undefined : this.#byKey.get(key);
  }

  /** Returns the queued row with this content: the only request with it, or the stand-in of several. */
  withContent(contentKey: string | undefined): QueuedRequest<Item, Result> | undefined {
    return contentKey === undefined ? undefined : this.#byContent.get(contentKey);
  }

  /** Returns the leader of the next batch: the most urgent request, or, in its turn, the oldest one. */
  leader(nowMs: number): QueuedRequest<Item, Result> | undefined {
    if (this.size === 0 || this.#only !== undefined) return this.#only;
    if (this.#plain.size > 0) return this.#plain.first();
    const oldest = this.#ageing.isDue ? this.oldest() : undefined;
    const isAged = oldest !== undefined && nowMs - oldest.waitingSinceMs >= AGED_AFTER_MS;
    return isAged ? oldest : this.#mostUrgent();
  }

  /** Records the leader of the batch that is dispatched now. Called before its requests are taken out. */
  led(leader: QueuedRequest<Item, Result>): void {
    const isOldest = leader === this.#only || this.#plain.size > 0 || leader === this.#byAge.head();
    if (!isOldest || this.#ageing.passedOver > 0) this.#ageing.batchDispatched(isOldest);
  }

  /** Returns the lanes whose requests may run with this one, including its own. */
  lanesAround(request: QueuedRequest<Item, Result>): Neighbourhood<Item, Result> {
    if (this.#isPlain()) return { lanes: [this.#plain], place: 0 };
    return this.#groupFor(request).around(this.#laneFor(request), REACH);
  }

  /** Returns the request that has waited longest. */
  oldest(): QueuedRequest<Item, Result> | undefined {
    if (this.#only !== undefined) return this.#only;
    return this.#plain.size > 0 ? this.#plain.first() : this.#byAge.head();
  }

  /**
   * Returns the newest request with a latency objective since the queue was last empty, whether or not it is still
   * queued.
   */
  newest(): QueuedRequest<Item, Result> | undefined {
    return this.#newest;
  }

  /** Whether no queued request is in an order. The only one then is the first of the plain queue. */
  #isPlain(): boolean {
    if (this.#only !== undefined) this.#plain.push(this.#only);
    this.#only = undefined;
    return this.#plain.size > 0;
  }

  /** Gives each request its place in both orders. */
  #order(): void {
    if (!this.#isPlain()) return;
    this.size = 0;
    for (const request of this.#plain.takeAll()) this.#insert(request);
  }

  #followNewest(request: QueuedRequest<Item, Result>): void {
    if (this.#newest === undefined || isOlder(this.#newest, request)) this.#newest = request;
  }

  #move(request: QueuedRequest<Item, Result>, rank: number): void {
    if (rank === request.rank) return;
    const lane = this.#laneFor(request);
    const before = request.rank;
    request.rank = rank;
    this.#countByRank[before]! -= 1;
    this.#countByRank[rank]! += 1;
    lane.requests.push(request);
    lane.requests.removed(before);
  }

  #mostUrgent(): QueuedRequest<Item, Result> | undefined {
    let first: QueuedRequest<Item, Result> | undefined;
    for (const { lanes } of this.#groups.values()) {
      for (const { requests } of lanes) first = moreUrgentOf(first, requests.first());
    }
    return first;
  }

  #laneFor(request: QueuedRequest<Item, Result>): Lane<Item, Result> {
    return this.#groupFor(request).laneFor(request.shape);
  }

  #groupFor({ shape }: QueuedRequest<Item, Result>): LaneGroup<Item, Result> {
    let group = this.#groups.get(shape.group);
    if (group === undefined) this.#groups.set(shape.group, (group = new LaneGroup()));
    return group;
  }

  /**
   * Removes empty lanes and empty groups, so that memory use depends on what is queued and not on what has ever
   * arrived.
   */
  #leftLane(request: QueuedRequest<Item, Result>): void {
    const lane = this.#laneFor(request);
    lane.requests.removed(request.rank);
    const isPlain = request.shape.extents.length === 0 && this.#groups.size <= MAX_EMPTY_GROUPS;
    if (lane.requests.size > 0 || isPlain) return;
    const group = this.#groupFor(request);
    group.delete(lane);
    if (group.size === 0) this.#groups.delete(request.shape.group);
  }

  #insert(request: QueuedRequest<Item, Result>): void {
    const lane = this.#laneFor(request);
    lane.extents = enclosing(lane.extents, request.shape.extents);
    lane.requests.push(request);
    this.#byAge.push(request);
    this.size += 1;
    this.#countByRank[request.rank]! += 1;
    if (request.contentKey !== undefined) this.#byContent.set(request.contentKey, request);
  }

  /** Reverses `#insert`, for a request that is no longer live. */
  #drop(request: QueuedRequest<Item, Result>): void {
    this.#byAge.removed();
    this.size -= 1;
    this.#countByRank[request.rank]! -= 1;
    this.#leftLane(request);
  }

  #share(first: QueuedRequest<Item, Result>): SharedRow<Item, Result> {
    const row = new SharedRow(first);
    this.#insert(row.standIn);
    this.#drop(first);
    return row;
  }

  #renew(row: SharedRow<Item, Result>): void {
    const old = row.renew();
    if (old === null) return;
    this.#insert(row.standIn);
    this.#drop(old);
  }

  #leaveRow(sharer: QueuedRequest<Item, Result>, row: SharedRow<Item, Result>): void {
    row.delete(sharer);
    if (row.sharers.size > 0) this.#renew(row);
    else this.remove(row.standIn, "settled");
  }

  #forget(request: QueuedRequest<Item, Result>): void {
    if (request.key !== undefined && this.#byKey.get(request.key) === request) this.#byKey.delete(request.key);
    if (request.contentKey !== undefined && this.#byContent.get(request.contentKey) === request) {
      this.#byContent.delete(request.contentKey);
    }
  }
}

/** A request counts as aged when it has waited this long, in milliseconds. */
export const AGED_AFTER_MS = 1000;

/** In any sequence of this many batches, the oldest request leads at least one, once it is aged. */
export const BATCHES_PER_AGED = 8;

/**
 * Prevents a continuous load of urgent requests from starving the rest. The oldest request earns an eighth of a turn
 * with every batch that another request leads. With a whole turn, it leads the next batch if it is aged.
 *
 * Bound: a request that becomes aged while k older ones are queued is dispatched no later than batch 8 * (k + 1) from
 * then on, whatever arrives.
 */
export class Ageing {
  /** Number of batches since the oldest request last led one. Only this class changes it. */
  passedOver = 0;

  /** Whether the oldest request leads the next batch if it is aged. */
  get isDue(): boolean {
    return this.passedOver >= BATCHES_PER_AGED - 1;
  }

  /** Counts a dispatched batch. */
  batchDispatched(ledByOldest: boolean): void {
    this.passedOver = ledByOldest ? 0 : this.passedOver + 1;
  }
}
