import type { Clock, Cancel, Timer } from "@framebatch/host/clock.js";
import { isError, type Guard, rejectNone, guardedTimer } from "../errors/guard.js";
import { afterMicrotask } from "@framebatch/host/microtask.js";
import { type CompletedBatch, type QueuedRequest, type Sink, timesOutBefore } from "../queue/request.js";
import { brokenBy, timedOut } from "./request-errors.js";
import type { RequestQueue } from "../queue/request-queue.js";
import { Statistics, type Failure } from "../stats/statistics.js";
import { OrderedQueue } from "../queue/ordered-queue.js";

/**
 * Called when a request has ended without the end of a batch: rejected, or answered from the cache. Does not throw.
 * @param state what the request was before
 */
export type OnLeft = (state: "queued" | "running") => void;

/** The options of `BatcherConfig` that the tracker uses. */
export interface TrackerConfig<Result> {
  readonly clock: Clock;
  /** Maximum number of results cached for identical items. @default 0 */
  readonly resultCacheSize?: number;
  /**
   * Copies a result for each further request that shares it. Required if callers must not share results.
   * @default the result itself
   */
  readonly copyResult?: (result: Result) => Result;
}

/**
 * Gives each request its one outcome, and counts the open requests. No method throws: an error of `copyResult` rejects
 * only its own request, and an error of a sink does not affect other requests.
 *
 * Invariants:
 * - A request counts as `queued` or `running` until it settles. It settles once: a second outcome is dropped.
 * - No sink is called inside the `enqueue` of its request.
 */
export class RequestTracker<Item, Result> {
  readonly #config: TrackerConfig<Result>;
  readonly #queue: RequestQueue<Item, Result>;
  readonly #guard: Guard;
  #cache: ResultCache<Result>;
  /**
   * The cache at the departure of each row in flight: what was forgotten since then must not come back with its result.
   */
  readonly #cacheOf = new WeakMap<QueuedRequest<Item, Result>, ResultCache<Result>>();
  /** Made for the first request with a timeout. */
  #timeouts: Timeouts<Item, Result> | null = null;
  readonly #onLeft: OnLeft;
  /** Number of queued requests, including those that share a row. Only this class changes it. */
  queued = 0;
  /** Number of requests whose row is in flight. Only this class changes it. */
  running = 0;
  statistics = new Statistics();

  constructor(config: TrackerConfig<Result>, queue: RequestQueue<Item, Result>, guard: Guard, onLeft: OnLeft) {
    this.#onLeft = onLeft;
    this.#config = config;
    this.#queue = queue;
    this.#guard = guard;
    this.#cache = this.#newCache();
  }

  /** Restarts the statistics. Open requests count in the new ones. */
  resetStatistics(nowMs: number): void {
    this.statistics = new Statistics({ requests: this.queued + this.running, nowMs });
  }

  /**
   * Rejects every request whose timeout has passed. Called before each dispatch, because a timer may fire late and an
   * expired request must not run.
   */
  expireDue(): void {
    this.#timeouts?.expireDue();
  }

  /** Counts an accepted request. */
  accepted(request: QueuedRequest<Item, Result>): void {
    this.queued += 1;
    this.statistics.accepted(request.enqueuedAtMs);
  }

  /** Watches the timeout of a request that has joined the queue or is answered from the cache. */
  watch(request: QueuedRequest<Item, Result>): void {
    this.#timeouts ??= new Timeouts(this.#config.clock, this.#guard, (each, error) =>
      error === null ? this.fail(each, "timedOut", timedOut(each)) : this.fail(each, "failed", brokenBy(error)),
    );
    this.#timeouts.watch(request);
  }

  /** Returns the cached result for this content, if there is one. */
  cached(contentKey: string | undefined): Result | undefined {
    return contentKey === undefined ? undefined : this.#cache.get(contentKey);
  }

  /** Drops all cached results, and does not cache those of the rows in flight. */
  forgetResults(): void {
    this.#cache = this.#newCache();
  }

  #newCache(): ResultCache<Result> {
    return new ResultCache(this.#config.resultCacheSize ?? 0);
  }

  /** Answers an accepted request with a cached result, in a microtask. */
  answerFromCache(request: QueuedRequest<Item, Result>, result: Result): void {
    request.state = "running";
    this.queued -= 1;
    this.running += 1;
    this.statistics.shared("cacheHits");
    this.soon(() => {
      this.#complete(request, result, true, null, request.enqueuedAtMs);
      this.#onLeft("running");
    });
  }

  /** Rejects a request that was not accepted, in a microtask. Returns 1, the number of requests rejected. */
  refuse(sink: Sink<Result>, error: Error): 1 {
    this.soon(() => this.#reject(sink, error));
    return 1;
  }

  /** Marks every request on a row as running, when its batch is dispatched. */
  departed(row: QueuedRequest<Item, Result>, nowMs: number): void {
    if (row.contentKey !== undefined) this.#cacheOf.set(row, this.#cache);
    for (const request of row.standsFor?.sharers ?? [row]) {
      request.state = "running";
      this.queued -= 1;
      this.running += 1;
      this.statistics.departed(nowMs - request.enqueuedAtMs);
    }
  }

  /** Settles every request on a row that has run, with the row's result or error. */
  answer(row: QueuedRequest<Item, Result>, result: Result | Error, batch: CompletedBatch): void {
    if (typeof result === "object" && isError(result)) return void this.failRow(row, "failed", result);
    if (row.contentKey !== undefined) this.#cacheOf.get(row)?.set(row.contentKey, result);
    let isShared = row.contentKey !== undefined && (this.#config.resultCacheSize ?? 0) > 0;
    if (row.standsFor === undefined) return this.#complete(row, result, isShared, batch, batch.completedAtMs);
    let answered = 0;
    for (const sharer of row.standsFor.sharers) {
      if (++answered > 1) this.statistics.shared("deduplicated");
      this.#complete(sharer, result, isShared, batch, batch.completedAtMs);
      isShared = true;
    }
  }

  /** Rejects every request on a row. Returns their number. */
  failRow(row: QueuedRequest<Item, Result>, failure: Failure, reason: unknown): number {
    if (row.standsFor === undefined) return this.fail(row, failure, reason);
    // Newest first, so that the row keeps its place in the queue while it empties.
    const sharers = [...row.standsFor.sharers].toReversed();
    return sharers.reduce((count, sharer) => count + this.fail(sharer, failure, reason), 0);
  }

  /** Rejects every queued request. Returns their number. */
  failQueued(failure: Failure, reason: unknown): number {
    let count = 0;
    // The count is taken first, because a sink may enqueue new requests.
    for (let left = this.#queue.size; left > 0; left--) {
      const row = this.#queue.oldest();
      if (row !== undefined) count += this.failRow(row, failure, reason);
    }
    return count;
  }

  /** Rejects one request; the others on its row are not affected. Returns 1, or 0 if it has already settled. */
  fail(request: QueuedRequest<Item, Result>, failure: Failure, reason: unknown): 0 | 1 {
    if (request.state === "settled") return 0;
    const wasRunning = request.state === "running";
    if (wasRunning) this.running -= 1;
    else this.#withdraw(request);
    request.state = "settled";
    request.row?.delete(request);
    this.statistics.ended(failure);
    this.#timeouts?.settled(request);
    if (request.isEntering) this.soon(() => this.#reject(request.sink, reason));
    else this.#reject(request.sink, reason);
    if (wasRunning) this.#onLeft("running");
    return 1;
  }

  #withdraw(request: QueuedRequest<Item, Result>): void {
    this.queued -= 1;
    this.#queue.remove(request, "settled");
    this.#onLeft("queued");
  }

  #complete(
    request: QueuedRequest<Item, Result>,
    result: Result,
    isShared: boolean,
    batch: CompletedBatch | null,
    nowMs: number,
  ): void {
    if (request.state === "settled") return;
    try {
      const { copyResult } = this.#config;
      const own = isShared && copyResult !== undefined ? copyResult(result) : result;
      request.state = "settled";
      request.row?.delete(request);
      this.running -= 1;
      this.statistics.completed(nowMs - request.enqueuedAtMs);
      this.#timeouts?.settled(request);
      request.sink.resolve(own, batch, request.enqueuedAtMs);
    } catch (thrown) {
      this.#guard.caught(thrown, (error) => {
        if (this.fail(request, "failed", error) === 0) request.sink.reject(error);
        return 1;
      });
    }
  }

  #reject(sink: Sink<Result>, reason: unknown): void {
    try {
      sink.reject(reason);
    } catch (thrown) {
      this.#guard.caught(thrown, rejectNone);
    }
  }

  /** Calls back in a microtask, even if the clock fails. */
  soon(callback: () => void): void {
    try {
      this.#config.clock.afterMicrotasks(callback);
    } catch (thrown) {
      this.#guard.caught(thrown, rejectNone);
      afterMicrotask(callback);
    }
  }
}

/** Caches results by content. Evicts the least recently used. */
class ResultCache<Result> {
  readonly #capacity: number;
  readonly #results = new Map<string, Result>();

  /** @param capacity maximum number of results; 0 disables the cache */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get(contentKey: string): Result | undefined {
    const result = this.#results.get(contentKey);
    if (result === undefined) return undefined;
    this.#results.delete(contentKey);
    this.#results.set(contentKey, result);
    return result;
  }

  set(contentKey: string, result: Result): void {
    if (this.#capacity === 0) return;
    this.#results.delete(contentKey);
    this.#results.set(contentKey, result);
    if (this.#results.size <= this.#capacity) return;
    for (const oldest of this.#results.keys()) {
      this.#results.delete(oldest);
      return;
    }
  }
}

/**
 * Expires a request. `error` is the reason why its timeout can no longer be watched; `null` if the timeout has passed.
 * Returns 1, or 0 if the request has already settled.
 */
type Expire<Item, Result> = (request: QueuedRequest<Item, Result>, error: Error | null) => 0 | 1;

/**
 * Calls `expire` for each request that has not settled by its `timeoutAtMs`, in order of time. Sets one timer at a
 * time, and none while no request with a timeout is open. If the clock fails, every watched request expires.
 */
class Timeouts<Item, Result> {
  readonly #clock: Timer;
  readonly #guard: Guard;
  readonly #expire: Expire<Item, Result>;
  readonly #open = new OrderedQueue<QueuedRequest<Item, Result>>(timesOutBefore, ({ state }) => state !== "settled");
  #timer: { readonly atMs: number; readonly cancel: Cancel } | null = null;

  constructor(clock: Timer, guard: Guard, expire: Expire<Item, Result>) {
    this.#clock = guardedTimer(clock, guard, this.#expireAll);
    this.#guard = guard;
    this.#expire = expire;
  }

  /** Watches an open request, if it has a timeout. */
  watch(request: QueuedRequest<Item, Result>): void {
    if (request.timeoutAtMs === Infinity) return;
    this.#open.push(request);
    this.#arm();
  }

  /** Must be called when a watched request has settled. Clears the timer after the last one. */
  settled({ timeoutAtMs }: QueuedRequest<Item, Result>): void {
    if (timeoutAtMs === Infinity) return;
    this.#open.removed();
    this.#arm();
  }

  /** Expires every request that is due now, whether or not the timer has fired. */
  expireDue(): void {
    if (this.#open.size === 0) return;
    const nowMs = this.#clock.now();
    for (let next = this.#open.head(); next !== undefined && next.timeoutAtMs <= nowMs; next = this.#open.head()) {
      this.#expire(next, null);
    }
  }

  readonly #expireAll = (error: Error): number => {
    let count = 0;
    for (let next = this.#open.head(); next !== undefined; next = this.#open.head()) count += this.#expire(next, error);
    return count;
  };

  #arm(): void {
    const next = this.#open.head();
    if (this.#timer?.atMs === next?.timeoutAtMs) return;
    this.#timer?.cancel();
    this.#timer = null;
    if (next !== undefined) this.#guard.run(() => this.#setFor(next.timeoutAtMs), this.#expireAll);
  }

  #setFor(atMs: number): void {
    this.#timer = { atMs, cancel: this.#clock.schedule(atMs, () => this.#fire()) };
  }

  #fire(): void {
    this.#timer = null;
    this.expireDue();
    this.#arm();
  }
}
