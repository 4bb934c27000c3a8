import type { BatcherConfig } from "./batcher-config.js";
import type { QueuedRequest } from "./queued-request.js";
import type { CompletedBatch } from "./request.js";
import type { RequestQueue } from "./request-queue.js";
import { ResultCache } from "./result-cache.js";
import { Statistics, type Failure } from "./statistics.js";
import { Timeouts } from "./timeouts.js";
import { timedOut } from "./refusals.js";

/**
 * Gives each request its one outcome, and keeps count of those that have none yet.
 *
 * Invariant: a request is counted in `queued` or `running` until it settles, and settles once; whoever comes second
 * finds it settled and does nothing.
 */
export class Settlement<Item, Result> {
  readonly #config: BatcherConfig<Item, Result>;
  readonly #queue: RequestQueue<Item, Result>;
  readonly #cache: ResultCache<Result>;
  readonly #timeouts: Timeouts<Item, Result>;
  readonly #onWithdrawn: () => void;
  #queued = 0;
  #running = 0;
  statistics = new Statistics();

  /** @param onWithdrawn called when a request has left the queue without running */
  constructor(config: BatcherConfig<Item, Result>, queue: RequestQueue<Item, Result>, onWithdrawn: () => void) {
    this.#onWithdrawn = onWithdrawn;
    this.#config = config;
    this.#queue = queue;
    this.#cache = new ResultCache(config.resultCacheSize ?? 0);
    this.#timeouts = new Timeouts(config.clock, (request) => this.fail(request, "timedOut", timedOut(request)));
  }

  /** Requests that wait, those on the row of another one included. */
  get queued(): number {
    return this.#queued;
  }

  /** Requests whose row is with the engine. */
  get running(): number {
    return this.#running;
  }

  /** Rejects every request whose time limit has passed. A timer comes late at times, and must not be overtaken. */
  expireDue(): void {
    this.#timeouts.expireDue();
  }

  /** Counts a request that was let in, and watches its time limit. */
  accepted(request: QueuedRequest<Item, Result>): void {
    this.#queued += 1;
    this.statistics.accepted(request.enqueuedAtMs);
    if (request.timeoutAtMs !== Infinity) this.#timeouts.watch(request);
  }

  /** Answers a request that was let in from the result cache, soon. Returns whether there was an answer. */
  answerFromCache(request: QueuedRequest<Item, Result>): boolean {
    const result = request.contentKey === undefined ? undefined : this.#cache.get(request.contentKey);
    if (result === undefined) return false;
    request.state = "running";
    this.#queued -= 1;
    this.#running += 1;
    this.statistics.shared("cacheHits");
    this.#config.clock.afterMicrotasks(() => this.#complete(request, this.#copy(result), null, request.enqueuedAtMs));
    return true;
  }

  /** A row leaves with a batch; everyone on it is running from now on. */
  departed(row: QueuedRequest<Item, Result>, nowMs: number): void {
    for (let index = -1; index < (row.followers?.length ?? 0); index++) {
      const request = index < 0 ? row : row.followers![index]!;
      request.state = "running";
      this.#queued -= 1;
      this.#running += 1;
      this.statistics.departed(nowMs - request.enqueuedAtMs);
    }
  }

  /** Hands everyone on a row that has run its result, or the error of this row alone. */
  answer(row: QueuedRequest<Item, Result>, result: Result | Error, batch: CompletedBatch): void {
    if (result instanceof Error) return this.failRow(row, "failed", result);
    if (row.contentKey !== undefined) this.#cache.set(row.contentKey, result);
    const isShared = row.contentKey !== undefined && (this.#config.resultCacheSize ?? 0) > 0;
    this.#complete(row, isShared ? this.#copy(result) : result, batch, batch.completedAtMs);
    for (const follower of row.followers ?? []) {
      if (follower.state !== "settled") this.statistics.shared("deduplicated");
      this.#complete(follower, this.#copy(result), batch, batch.completedAtMs);
    }
  }

  /** Rejects everyone on a row. */
  failRow(row: QueuedRequest<Item, Result>, failure: Failure, reason: unknown): void {
    for (const request of [...(row.followers ?? []), row]) this.fail(request, failure, reason);
  }

  /** Rejects one request; the others on its row go on. */
  fail(request: QueuedRequest<Item, Result>, failure: Failure, reason: unknown): void {
    if (request.state === "settled") return;
    if (request.state === "running") this.#running -= 1;
    else this.#withdraw(request);
    request.state = "settled";
    this.statistics.ended(failure);
    this.#timeouts.settled();
    request.sink.reject(reason);
  }

  #withdraw(request: QueuedRequest<Item, Result>): void {
    this.#queued -= 1;
    this.#queue.remove(request, "settled");
    this.#onWithdrawn();
  }

  #complete(request: QueuedRequest<Item, Result>, result: Result, batch: CompletedBatch | null, nowMs: number): void {
    if (request.state === "settled") return;
    request.state = "settled";
    this.#running -= 1;
    this.statistics.completed(nowMs - request.enqueuedAtMs);
    this.#timeouts.settled();
    request.sink.resolve(result, batch, request.enqueuedAtMs);
  }

  #copy(result: Result): Result {
    return this.#config.copyResult === undefined ? result : this.#config.copyResult(result);
  }
}
