import { Admission, StreamRoom } from "./admission.js";
import { AdmissionControl } from "../requests/admission-control.js";
import { Arrivals } from "../schedule/arrivals.js";
import { BatchLimits } from "../engine/batch-limits.js";
import { BatchPlanner } from "../schedule/batch-planner.js";
import { BatchRunner } from "../engine/batch-runner.js";
import type { BatcherConfig } from "./batcher-config.js";
import { CostModel, type CostModelData } from "../cost/cost-model.js";
import { PLAIN_SHAPE } from "../queue/shape.js";
import { asError, type FramebatchError } from "../errors/errors.js";
import {
  BACKGROUND,
  QueuedRequest,
  type QueueTicket,
  rankOf,
  type RequestOptions,
  type RequestOwner,
  SETTLED_TICKET,
  type Sink,
  STAYS,
  USER_VISIBLE,
} from "../queue/request.js";
import { EndSink } from "../queue/shared-row.js";
import { Guard, rejectNone } from "../errors/guard.js";
import { superseded } from "../requests/request-errors.js";
import { RequestQueue } from "../queue/request-queue.js";
import { RequestTracker } from "../requests/request-tracker.js";
import { Scheduler } from "../schedule/scheduler.js";
import type { BatcherStats } from "../stats/stats.js";

const NO_OPTIONS: RequestOptions = {};

/**
 * Gathers requests into batches, dispatches them to the engine, and gives each caller its own result.
 *
 * Invariants:
 * - Every request settles exactly once, whatever fails, and never inside its own `enqueue`.
 * - A request that settles while it is queued never reaches the engine.
 * - At most two batches per engine are in flight, except with `release: "off"`, which sets no limit.
 * - When nothing is queued or running, no timer is set, no visibility listener is registered, and no callback is
 *   scheduled beyond the microtasks after the last answers.
 * - When something throws, only the affected requests reject, and `onError` receives the error.
 */
export class Batcher<Item, Result> implements RequestOwner<Item, Result> {
  readonly #config: BatcherConfig<Item, Result>;
  readonly #guard: Guard;
  readonly #queue = new RequestQueue<Item, Result>();
  readonly #arrivals = new Arrivals();
  readonly #cost: CostModel;
  readonly #control: AdmissionControl;
  readonly #admission: Admission<Item, Result>;
  readonly #tracker: RequestTracker<Item, Result>;
  readonly #runner: BatchRunner<Item, Result>;
  readonly #planner: BatchPlanner<Item, Result>;
  readonly #scheduler: Scheduler<Item, Result>;
  /** How many requests streams may submit. */
  readonly streamRoom: StreamRoom<Item>;
  readonly #limits: BatchLimits;
  #sequence = 0;
  /** The error that rejects every request after `dispose`; `null` before. Only this class changes it. */
  disposedWith: FramebatchError | null = null;

  constructor(config: BatcherConfig<Item, Result>) {
    this.#config = config;
    this.#guard = new Guard(config.onError);
    this.#cost = new CostModel(config.maxBatchSize, config.allowedBatchSizes);
    this.#limits = new BatchLimits(config, this.#cost);
    if (config.costData !== undefined) this.#cost.restore(config.costData);
    this.#control = new AdmissionControl(config.maxQueueSize ?? Infinity, config.maxLatencyMs ?? Infinity);
    this.#tracker = new RequestTracker(config, this.#queue, this.#guard, (state) => {
      if (state === "queued") this.#scheduler.withdrawn();
      else this.#runner.requestLeft();
      this.#makeRoom();
    });
    this.#runner = new BatchRunner(config, this.#limits, this.#cost, this.#tracker, this.#guard, {
      started: this.#makeRoom,
      beforeAnswers: (batch, requests) => {
        if (config.maxLatencyMs !== undefined) {
          this.streamRoom.ran(batch);
          this.#control.ran(batch);
        }
        this.#scheduler.beforeAnswers(batch, requests);
      },
      afterAnswers: () => {
        this.#scheduler.afterAnswers();
        this.#makeRoom();
      },
    });
    const parts = {
      config,
      queue: this.#queue,
      cost: this.#cost,
      limits: this.#limits,
      arrivals: this.#arrivals,
      runner: this.#runner,
      admission: this.#control,
      guard: this.#guard,
      tracker: this.#tracker,
    };
    this.#planner = new BatchPlanner(parts);
    const all = { ...parts, planner: this.#planner };
    this.#admission = new Admission(all);
    this.#scheduler = new Scheduler(all);
    this.streamRoom = new StreamRoom({ ...all, predictMs: (item) => this.predictMs(item) });
  }

  /**
   * Enqueues one item. The sink receives a rejection (`OVERLOADED`, `DISPOSED`, or an error that `shapeOf` or
   * `contentKey` throws) after the call returns. Takes O(log n) time in the length of the queue.
   */
  enqueue(item: Item, caller: Sink<Result>, options: RequestOptions = NO_OPTIONS): QueueTicket {
    const { onSettled, onRequest } = this.#config;
    const sink = onSettled === undefined ? caller : new EndSink(caller, item, (own) => this.discard(own));
    if (this.disposedWith !== null) return this.#refuse(sink, this.disposedWith);
    try {
      onRequest?.();
      return this.#enqueue(item, sink, options);
    } catch (thrown) {
      this.#guard.caught(thrown, (error) => this.#tracker.refuse(sink, error));
      return SETTLED_TICKET;
    }
  }

  /** Takes over an item that is enqueued later. @throws what the configured function throws */
  take(item: Item): void {
    this.#config.take?.(item);
  }

  /** Ends an item that is not enqueued after all. */
  discard(item: Item): void {
    this.#guard.run(() => this.#config.onSettled?.(item), rejectNone);
  }

  /** Rejects a request that `enqueue` is certain to reject, before its item is copied. Returns true if rejected. */
  rejectIfFull(sink: Sink<Result>, { key }: RequestOptions = NO_OPTIONS): boolean {
    let error = this.disposedWith;
    if (error === null && !this.#control.hasRoom(this.#tracker.queued)) {
      // A request that is answered from the result cache, or supersedes a queued one, needs no place in the queue.
      const maySpareRoom = (this.#config.resultCacheSize ?? 0) > 0 || this.#queue.withKey(key) !== undefined;
      if (!maySpareRoom) error = this.#admission.full(this.#tracker.queued);
    }
    if (error !== null) this.#refuse(sink, error);
    return error !== null;
  }

  cancel(request: QueuedRequest<Item, Result>, reason: unknown): void {
    this.#tracker.fail(request, "aborted", reason);
  }

  setRank(request: QueuedRequest<Item, Result>, rank: number): void {
    if (request.state !== "queued") return;
    this.#guard.run(() => this.#planner.arrives(rank, this.#config.clock.now()), rejectNone);
    this.#queue.setRank(request, rank);
  }

  /** Rejects the queued request with this key, if there is one, because another batcher has accepted a newer one. */
  supersede(key: string): void {
    const older = this.#queue.withKey(key);
    if (older !== undefined) this.#tracker.fail(older, "superseded", superseded(key));
  }

  /** Dispatches the requests that are queued now without waiting for more, as fast as the engine accepts them. */
  flush(): void {
    this.#scheduler.flush();
  }

  /**
   * Stops dispatching until `resume`, while the engine is replaced. Answers to batches in flight are still delivered.
   */
  pause(): void {
    this.#scheduler.pause();
  }

  resume(): void {
    this.#scheduler.resume();
  }

  /** Lowers the maximum batch size to `rows`. Never raises it. */
  limitBatchSize(rows: number): void {
    this.#limits.lower(rows);
  }

  /**
   * Sets whether batches are trusted. Until they are, each item runs alone and unpadded, with the same limit on batches
   * in flight. If trust is lost while a batch is in flight and that batch fails, its items run again one by one.
   */
  trust(isTrusted: boolean): void {
    if (this.#limits.isTrusted === isTrusted) return;
    this.#limits.trust(isTrusted);
    this.#scheduler.release();
  }

  /** Drops all cached results, because the engine answers slightly differently from now on. */
  forgetResults(): void {
    this.#tracker.forgetResults();
  }

  /** Records the time of a run that no request caused. The parameters are those of `CostModel.observe`. */
  learn(size: number, volume: number, ms: number): void {
    this.#cost.observe(size, volume, ms);
  }

  /**
   * Returns the predicted time from now to the result of a request that is enqueued now, behind all that is queued, in
   * milliseconds.
   */
  predictMs(item: Item): number {
    const { shapeOf, clock } = this.#config;
    return this.#admission.predictedMs(shapeOf?.(item) ?? PLAIN_SHAPE, clock.now(), this.#queue.size);
  }

  /** Rejects every open request, and every later one, with `error`. Drops answers that arrive afterwards. */
  dispose(error: FramebatchError): void {
    if (this.disposedWith !== null) return;
    this.disposedWith = error;
    this.#tracker.failQueued("disposed", error);
    for (const row of this.#runner.abandon()) this.#tracker.failRow(row, "disposed", error);
    this.#scheduler.stop();
    this.#makeRoom();
  }

  stats(): BatcherStats {
    const { statistics, queued, running } = this.#tracker;
    const nowMs = this.#config.clock.now();
    return statistics.snapshot({
      nowMs,
      queued,
      running,
      batches: this.inFlight,
      cost: this.#cost,
      targetSize: this.#planner.bestSize(this.#cost.lastVolume),
    });
  }

  /** Restarts the statistics. Open requests count as accepted in the new ones. */
  resetStats(): void {
    const nowMs = this.#config.clock.now();
    this.#tracker.resetStatistics(nowMs);
    this.#runner.recount(nowMs);
  }

  /** Number of batches that the engine has. */
  get inFlight(): number {
    return this.#runner.load.batches.size;
  }

  /** Replaces what was learned by what another batcher has learned on the same engine. */
  restore(costs: CostModelData): void {
    this.#cost.restore(costs);
  }

  /** Returns what the cost model has learned, for the `costData` option of a later batcher on the same engine. */
  costData(): CostModelData {
    return this.#cost.toData();
  }

  readonly #makeRoom = (): void => {
    if (this.streamRoom.isWatched) this.#guard.run(() => this.streamRoom.changed(), rejectNone);
  };

  /** Adds nothing to the batcher until the request is accepted. No step throws from then on. */
  #enqueue(item: Item, sink: Sink<Result>, options: RequestOptions): QueueTicket {
    const { clock, shapeOf, contentKey: contentOf, maxLatencyMs = Infinity, take } = this.#config;
    const { key, priority, timeoutMs = Infinity, sinceMs } = options;
    const nowMs = clock.now();
    const shape = shapeOf?.(item) ?? PLAIN_SHAPE;
    const contentKey = contentOf?.(item);
    // These functions are the caller's, and may have disposed of the batcher.
    if (this.disposedWith !== null) return this.#refuse(sink, this.disposedWith);
    const rank = priority === undefined ? USER_VISIBLE : rankOf(priority);
    const enqueuedAtMs = sinceMs ?? nowMs;
    const request = new QueuedRequest(this, {
      item,
      shape,
      sink,
      key,
      contentKey,
      enqueuedAtMs,
      sequence: ++this.#sequence,
      timeoutAtMs: enqueuedAtMs + timeoutMs,
      objectiveAtMs: rank === BACKGROUND ? Infinity : enqueuedAtMs + maxLatencyMs,
      rank,
    });
    const cached = contentKey === undefined ? undefined : this.#tracker.cached(contentKey);
    const older = key === undefined ? undefined : this.#queue.withKey(key);
    const mustCheck = cached === undefined && this.#tracker.queued >= this.#control.openBelow;
    const overload = mustCheck ? this.#admission.refusal(request, options, nowMs, older) : null;
    if (overload !== null) return this.#refuse(sink, overload);
    // Taking an item over reads its properties, and the caller may have written one that throws, or disposes of the
    // batcher.
    try {
      take?.(item);
    } catch (thrown) {
      return this.#refuse(sink, asError(thrown));
    }
    if (this.disposedWith !== null) return this.#refuse(sink, this.disposedWith);
    if (options[STAYS]) request.objectiveAtMs = Infinity;
    this.#tracker.accepted(request);
    if (older !== undefined) {
      request.takePlaceOf(older);
      this.#tracker.fail(older, "superseded", superseded(older.key!));
    }
    if (cached === undefined) this.#join(request, nowMs);
    else this.#tracker.answerFromCache(request, cached);
    if (request.timeoutAtMs !== Infinity) this.#tracker.watch(request);
    if (cached === undefined) this.#scheduler.lookSoon();
    request.isEntering = false;
    return request;
  }

  #refuse(sink: Sink<Result>, error: Error): QueueTicket {
    this.#tracker.refuse(sink, error);
    return SETTLED_TICKET;
  }

  /** Adds a request to the row of an identical one, or to a row of its own. */
  #join(request: QueuedRequest<Item, Result>, nowMs: number): void {
    if (this.#runner.load.backgroundMs > 0) this.#planner.arrives(request.rank, nowMs);
    this.#scheduler.arrived(nowMs);
    const twin = this.#config.dedupe ? this.#queue.withContent(request.contentKey) : undefined;
    if (twin === undefined) this.#queue.push(request);
    else this.#queue.attach(request, twin);
  }
}
