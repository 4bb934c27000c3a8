import { Ageing, COMING_OF_AGE_MS } from "./ageing.js";
import { enclosing } from "../shape.js";
import { LaneGroup, type Lane, type Neighbourhood } from "./lanes.js";
import { PRIORITIES } from "./priority.js";
import { isMoreUrgent, isOlder, type QueuedRequest, type RequestState } from "./queued-request.js";
import { SharedRow } from "./shared-row.js";
import { UrgencyQueue } from "./urgency-queue.js";

/** Groups of a single lane that stay when they are empty, since most models have one that empties all the time. */
const KEPT_GROUPS = 16;

/** Lanes further than this many from the leader's, by size, have no bearing on who rides with it. */
const REACH = 64;

/**
 * Everything that waits. A request is in three orders at once: by due time among all, which says who leads the next
 * batch; by age among all, which says who has waited too long; and in its lane, which says who may ride along.
 * Enqueueing, taking and removing are O(log n), amortised.
 */
export class RequestQueue<Item, Result> {
  readonly #all = new UrgencyQueue<Item, Result>(isMoreUrgent);
  readonly #byAge = new UrgencyQueue<Item, Result>(isOlder);
  readonly #groups = new Map<string, LaneGroup<Item, Result>>();
  readonly #byKey = new Map<string, QueuedRequest<Item, Result>>();
  readonly #byContent = new Map<string, QueuedRequest<Item, Result>>();
  readonly #ageing = new Ageing();
  #newest: QueuedRequest<Item, Result> | undefined = undefined;

  /** Rows that wait. Identical requests that share a row count once. */
  get size(): number {
    return this.#all.size;
  }

  push(request: QueuedRequest<Item, Result>): void {
    this.#insert(request);
    if (this.#newest === undefined || isOlder(this.#newest, request)) this.#newest = request;
    if (request.key !== undefined) this.#byKey.set(request.key, request);
  }

  /** Lets a request share the row of a queued one with the same content, as `withContent` returns it. */
  attach(request: QueuedRequest<Item, Result>, twin: QueuedRequest<Item, Result>): void {
    const row = twin.standsFor ?? this.#share(twin);
    row.add(request);
    if (request.key !== undefined) this.#byKey.set(request.key, request);
    this.#renew(row);
  }

  /** Takes a queued request out, into the given state, or with a stand-in all that it stands for. The others on a row stay. */
  remove(request: QueuedRequest<Item, Result>, state: Exclude<RequestState, "queued">): void {
    request.state = state;
    this.#forget(request);
    if (request.row !== undefined) return this.#leaveRow(request, request.row);
    this.#drop(request);
    if (request.standsFor !== undefined) for (const rider of request.standsFor.riders) this.#forget(rider);
    if (this.size === 0) this.#newest = undefined;
  }

  /** Moves a queued request to another priority. */
  setRank(request: QueuedRequest<Item, Result>, rank: number): void {
    const { row } = request;
    if (row === undefined) return this.#move(request, rank);
    row.setRank(request, rank);
    this.#renew(row);
  }

  /** The queued request with this `key` option. */
  withKey(key: string): QueuedRequest<Item, Result> | undefined {
    return this.#byKey.get(key);
  }

  /** The row of the queued requests with this content: the only one of them, or their stand-in. */
  withContent(contentKey: string): QueuedRequest<Item, Result> | undefined {
    return this.#byContent.get(contentKey);
  }

  /** Who leads the next batch: the most urgent request, or, in its turn, the one that has waited longest. */
  leader(nowMs: number): QueuedRequest<Item, Result> | undefined {
    const oldest = this.#ageing.isDue ? this.oldest() : undefined;
    const isOfAge = oldest !== undefined && nowMs - oldest.waitingSinceMs >= COMING_OF_AGE_MS;
    return isOfAge ? oldest : this.#firstHead();
  }

  /** Tells who leads the batch that leaves now, before its requests are taken out. */
  led(leader: QueuedRequest<Item, Result>): void {
    this.#ageing.batchLeft(leader === this.oldest());
  }

  /** The lanes whose requests may ride with this one, its own among them. */
  lanesAround(request: QueuedRequest<Item, Result>): Neighbourhood<Item, Result> {
    return this.#groupFor(request).around(this.#laneFor(request), REACH);
  }

  /** The request that has waited longest. */
  oldest(): QueuedRequest<Item, Result> | undefined {
    let oldest: QueuedRequest<Item, Result> | undefined;
    for (let rank = 0; rank < PRIORITIES.length; rank++) {
      const head = this.#byAge.sizeOf(rank) === 0 ? undefined : this.#byAge.head(rank);
      if (head !== undefined && (oldest === undefined || isOlder(head, oldest))) oldest = head;
    }
    return oldest;
  }

  /** The request that came last since the queue was last empty, whether it still waits or not. */
  newest(): QueuedRequest<Item, Result> | undefined {
    return this.#newest;
  }

  #move(request: QueuedRequest<Item, Result>, rank: number): void {
    if (rank === request.rank) return;
    const lane = this.#laneFor(request);
    const before = request.rank;
    request.rank = rank;
    for (const order of [this.#all, this.#byAge, lane.requests]) {
      order.push(request);
      order.left(before);
    }
  }

  #firstHead(): QueuedRequest<Item, Result> | undefined {
    for (let rank = 0; rank < PRIORITIES.length; rank++) {
      if (this.#all.sizeOf(rank) > 0) return this.#all.head(rank);
    }
    return undefined;
  }

  #laneFor(request: QueuedRequest<Item, Result>): Lane<Item, Result> {
    return this.#groupFor(request).laneFor(request.shape);
  }

  #groupFor({ shape }: QueuedRequest<Item, Result>): LaneGroup<Item, Result> {
    let group = this.#groups.get(shape.group);
    if (group === undefined) this.#groups.set(shape.group, (group = new LaneGroup()));
    return group;
  }

  /** An empty lane goes, and an empty group with it, so that memory follows what waits and not what ever came. */
  #leftLane(request: QueuedRequest<Item, Result>): void {
    const lane = this.#laneFor(request);
    lane.requests.left(request.rank);
    const isPlain = request.shape.extents.length === 0 && this.#groups.size <= KEPT_GROUPS;
    if (lane.requests.size > 0 || isPlain) return;
    const group = this.#groupFor(request);
    group.delete(lane);
    if (group.size === 0) this.#groups.delete(request.shape.group);
  }

  #insert(request: QueuedRequest<Item, Result>): void {
    this.#all.push(request);
    const lane = this.#laneFor(request);
    lane.extents = enclosing(lane.extents, request.shape.extents);
    lane.requests.push(request);
    this.#byAge.push(request);
    if (request.contentKey !== undefined) this.#byContent.set(request.contentKey, request);
  }

  /** The counterpart of `#insert`, for a request that is no longer live. */
  #drop(request: QueuedRequest<Item, Result>): void {
    this.#all.left(request.rank);
    this.#byAge.left(request.rank);
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

  #leaveRow(rider: QueuedRequest<Item, Result>, row: SharedRow<Item, Result>): void {
    row.delete(rider);
    if (row.riders.size > 0) this.#renew(row);
    else this.remove(row.standIn, "settled");
  }

  #forget(request: QueuedRequest<Item, Result>): void {
    if (request.key !== undefined && this.#byKey.get(request.key) === request) this.#byKey.delete(request.key);
    if (request.contentKey !== undefined && this.#byContent.get(request.contentKey) === request) {
      this.#byContent.delete(request.contentKey);
    }
  }
}
