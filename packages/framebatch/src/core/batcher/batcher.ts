import { AdmissionControl } from "../requests/admission-control.js";
import { Arrivals } from "../schedule/arrivals.js";
import { BatchLimits } from "../engine/batch-limits.js";
import { BatchPlanner } from "../schedule/batch-planner.js";
import { BatchRunner } from "../engine/batch-runner.js";
import type { BatcherConfig } from "./batcher-config.js";
import { CostModel, type CostModelData } from "../cost/cost-model.js";
import { type ItemShape, volumeOf } from "../shape.js";
import type { FramebatchError } from "../errors.js";
import { Forecast } from "../schedule/forecast.js";
import { Guard, nobody } from "../guard.js";
import { rankOf } from "../queue/priority.js";
import { QueuedRequest, type RequestOwner } from "../queue/queued-request.js";
import { superseded } from "../requests/request-errors.js";
import { type RequestOptions, SETTLED_TICKET, type Sink, type Ticket } from "../queue/request.js";
import { RequestQueue } from "../queue/request-queue.js";
import { RequestTracker } from "../requests/request-tracker.js";
import { shapeWith } from "./item-shape.js";
import { Scheduler } from "../schedule/scheduler.js";
import { StreamRoom } from "./stream-room.js";
import type { BatcherStats } from "../stats/stats.js";

const NO_OPTIONS: RequestOptions = {};

/**
 * Gathers requests into batches, hands them to the engine, and gives every caller its own result.
 *
 * Invariants:
 * - Every request settles exactly once, whatever fails, and never inside its own `enqueue`.
 * - A request that settles while it is queued never reaches the engine.
 * - At most two batches for each engine are in flight.
 * - With nothing queued or running, no timer is set, nothing is scheduled, and nothing listens for the tab's visibility.
 * - Whatever throws, the requests that it concerns reject, `onError` hears of it, and everything else goes on.
 */
export class Batcher<Item, Result> implements RequestOwner<Item, Result> {
  readonly #config: BatcherConfig<Item, Result>;
  readonly #guard: Guard;
  readonly #queue = new RequestQueue<Item, Result>();
  readonly #arrivals = new Arrivals();
  readonly #cost: CostModel;
  readonly #admission: AdmissionControl;
  readonly #forecast: Forecast;
  readonly #tracker: RequestTracker<Item, Result>;
  readonly #runner: BatchRunner<Item, Result>;
  readonly #planner: BatchPlanner<Item, Result>;
  readonly #scheduler: Scheduler<Item, Result>;
  /** How much streams may ask for. */
  readonly streamRoom: StreamRoom<Item>;
  readonly #maxLatencyMs: number;
  readonly #limits: BatchLimits;
  #sequence = 0;
  #disposedWith: FramebatchError | null = null;

  constructor(config: BatcherConfig<Item, Result>) {
    const { maxBatchSize, maxLatencyMs = Infinity } = config;
    this.#config = config;
    this.#guard = new Guard(config.onError);
    this.#maxLatencyMs = maxLatencyMs;
    this.#cost = new CostModel(maxBatchSize, config.allowedBatchSizes);
    this.#limits = new BatchLimits(config, this.#cost);
    if (config.costData !== undefined) this.#cost.restore(config.costData);
    this.#admission = new AdmissionControl(config.maxQueueSize ?? Infinity, maxLatencyMs);
    this.#forecast = new Forecast({ cost: this.#cost, arrivals: this.#arrivals, limits: this.#limits });
    this.#tracker = new RequestTracker(config, this.#queue, this.#guard, () => {
      this.#scheduler.withdrawn();
      this.#requestsLeft();
    });
    this.#runner = new BatchRunner(config, this.#limits, this.#cost, this.#tracker, this.#guard, {
      beforeAnswers: (batch) => {
        this.streamRoom.ran(batch);
        this.#scheduler.beforeAnswers(batch);
      },
      afterAnswers: () => {
        this.#scheduler.afterAnswers();
        this.#requestsLeft();
      },
    });
    const parts = {
      config,
      queue: this.#queue,
      cost: this.#cost,
      limits: this.#limits,
      arrivals: this.#arrivals,
      runner: this.#runner,
      admission: this.#admission,
      guard: this.#guard,
      tracker: this.#tracker,
    };
    this.#planner = new BatchPlanner(parts);
    this.#scheduler = new Scheduler({ ...parts, planner: this.#planner });
    this.streamRoom = this.#createStreamRoom();
  }

  /**
   * Puts one item in the queue. A refusal (`OVERLOADED`, or `DISPOSED`) reaches the sink after the call returns, and so does what
   * `shapeOf` or `contentKey` throws. Costs O(log n) in the length of the queue.
   */
  enqueue(item: Item, sink: Sink<Result>, options: RequestOptions = NO_OPTIONS): Ticket {
    if (this.#disposedWith !== null) return this.#refuse(sink, this.#disposedWith);
    try {
      return this.#enqueue(item, sink, options);
    } catch (thrown) {
      this.#guard.caught(thrown, (error) => this.#tracker.refuse(sink, error));
      return SETTLED_TICKET;
    }
  }

  /** Rejects as `enqueue` would, if it surely would, but before anything is copied for the request. Returns true if rejected. */
  turnsAway(sink: Sink<Result>, { key }: RequestOptions = NO_OPTIONS): boolean {
    const error = this.#disposedWith ?? (this.#maySpareRoom(key) ? null : this.#full(this.#tracker.queued));
    if (error !== null) this.#refuse(sink, error);
    return error !== null;
  }

  cancel(request: QueuedRequest<Item, Result>, reason: unknown): void {
    this.#tracker.fail(request, "aborted", reason);
  }

  setRank(request: QueuedRequest<Item, Result>, rank: number): void {
    if (request.state === "queued") this.#queue.setRank(request, rank);
  }

  /** Sends what is queued now without waiting for company, as fast as the engine takes it. */
  flush(): void {
    this.#scheduler.flush();
  }

  /** Holds everything back until `resume`: the engine is being replaced. Answers to what is in flight still count. */
  pause(): void {
    this.#scheduler.pause();
  }

  resume(): void {
    this.#scheduler.resume();
  }

  /** Forms no batch of more requests from now on. A limit that is lower already stays. */
  limitBatchSize(rows: number): void {
    this.#limits.lower(rows);
  }

  /**
   * Until batches are trusted, every item runs alone and unpadded, at most two for each engine in flight. A batch that fails after
   * trust is lost runs again item by item.
   */
  trust(isTrusted: boolean): void {
    if (this.#limits.isTrusted === isTrusted) return;
    this.#limits.isTrusted = isTrusted;
    this.#scheduler.release();
  }

  /** Learns from a run that no request asked for, as in `CostModel.observe`. */
  learn(size: number, volume: number, ms: number): void {
    this.#cost.observe(size, volume, ms);
  }

  /** Rejects every open request, and every later one, with `error`. Answers that still come are dropped. */
  dispose(error: FramebatchError): void {
    if (this.#disposedWith !== null) return;
    this.#disposedWith = error;
    this.#tracker.failQueued("disposed", error);
    for (const row of this.#runner.abandon()) this.#tracker.failRow(row, "disposed", error);
    this.#scheduler.stop();
    this.#requestsLeft();
  }

  /** What every request is refused with, once the batcher is disposed of. */
  get disposedWith(): FramebatchError | null {
    return this.#disposedWith;
  }

  stats(): BatcherStats {
    const { statistics, queued, running } = this.#tracker;
    const nowMs = this.#config.clock.now();
    const targetSize = this.#planner.bestSize(this.#cost.lastVolume);
    return statistics.snapshot({ nowMs, queued, running, batches: this.#runner.size, cost: this.#cost, targetSize });
  }

  /** Starts the statistics again. What is open now counts as accepted in them. */
  resetStats(): void {
    const nowMs = this.#config.clock.now();
    this.#tracker.resetStatistics(nowMs);
    this.#runner.recount(nowMs);
  }

  /** What the cost model has learned, for `costData` of a later batcher on the same engine. */
  costData(): CostModelData {
    return this.#cost.toData();
  }

  #createStreamRoom(): StreamRoom<Item> {
    const { shapeOf, clock } = this.#config;
    return new StreamRoom({
      config: this.#config,
      targetSize: () => this.#planner.bestSize(this.#cost.lastVolume),
      maxRows: () => this.#limits.rows,
      admission: this.#admission,
      open: () => this.#tracker,
      predictMs: (item) => this.#predictedMs(shapeWith(shapeOf, item), clock.now()),
    });
  }

  #request(item: Item, sink: Sink<Result>, options: RequestOptions, nowMs: number): QueuedRequest<Item, Result> {
    const { shapeOf, contentKey } = this.#config;
    return new QueuedRequest<Item, Result>(this, {
      item,
      shape: shapeWith(shapeOf, item),
      sink,
      key: options.key,
      contentKey: contentKey?.(item),
      enqueuedAtMs: nowMs,
      sequence: ++this.#sequence,
      timeoutAtMs: options.timeoutMs === undefined ? Infinity : nowMs + options.timeoutMs,
      objectiveAtMs: nowMs + this.#maxLatencyMs,
      rank: rankOf(options.priority),
    });
  }

  /** Nothing of the request is in the batcher until it is let in, and nothing throws from then on. */
  #enqueue(item: Item, sink: Sink<Result>, options: RequestOptions): Ticket {
    const nowMs = this.#config.clock.now();
    const request = this.#request(item, sink, options, nowMs);
    const cached = this.#tracker.cached(request.contentKey);
    const older = request.key === undefined ? undefined : this.#queue.withKey(request.key);
    const refusal = cached === undefined ? this.#refusal(request.shape, nowMs, older === undefined ? 0 : 1) : null;
    if (refusal !== null) return this.#refuse(sink, refusal);
    this.#tracker.accepted(request);
    if (older !== undefined) this.#supersede(older, request);
    if (cached === undefined) this.#join(request, nowMs);
    else this.#tracker.answerFromCache(request, cached);
    this.#tracker.watch(request);
    if (cached === undefined) this.#scheduler.lookSoon(nowMs);
    request.isEntering = false;
    return request;
  }

  #refuse(sink: Sink<Result>, error: Error): Ticket {
    this.#tracker.refuse(sink, error);
    return SETTLED_TICKET;
  }

  /** Whether a request with this key may need no room: answered from the result cache, or in place of an older one. */
  #maySpareRoom(key: string | undefined): boolean {
    return (this.#config.resultCacheSize ?? 0) > 0 || (key !== undefined && this.#queue.withKey(key) !== undefined);
  }

  #full(queued: number): FramebatchError | null {
    const error = this.#admission.refuseFull(queued);
    if (error !== null) this.#tracker.statistics.refused("queueFull");
    return error;
  }

  /** @param replaced how many that wait make room for it: 0 or 1 */
  #refusal(shape: ItemShape, nowMs: number, replaced: number): FramebatchError | null {
    const queued = this.#tracker.queued - replaced;
    if (this.#admission.isOpen(queued)) return null;
    const full = this.#full(queued);
    if (full !== null) return full;
    const late = this.#admission.refuseLate(nowMs, () => this.#predictedMs(shape, nowMs, replaced));
    if (late !== null) this.#tracker.statistics.refused("latency");
    return late;
  }

  /** Predicted time until the result of a request that joins the queue now, in milliseconds. */
  #predictedMs(shape: ItemShape, nowMs: number, replaced = 0): number {
    return this.#forecast.latencyMs({
      nowMs,
      freeAtMs: this.#runner.freeAtMs(nowMs),
      rowsAhead: Math.max(0, this.#queue.size - replaced),
      volume: volumeOf(shape.extents),
      isOverloaded: this.#admission.isOverloaded(nowMs),
    });
  }

  #requestsLeft(): void {
    this.#guard.run(() => this.streamRoom.changed(), nobody);
  }

  #supersede(older: QueuedRequest<Item, Result>, newer: QueuedRequest<Item, Result>): void {
    newer.takePlaceOf(older);
    this.#tracker.fail(older, "superseded", superseded(older.key!));
  }

  /** Lets a request in on the row of an identical one, or on a row of its own. */
  #join(request: QueuedRequest<Item, Result>, nowMs: number): void {
    const { contentKey } = request;
    this.#scheduler.arrived(nowMs);
    const twin = this.#config.dedupe && contentKey !== undefined ? this.#queue.withContent(contentKey) : undefined;
    if (twin === undefined) this.#queue.push(request);
    else this.#queue.attach(request, twin);
  }
}
