import type { FramebatchError } from "../errors/errors.js";
import type { CompletedBatch, QueuedRequest, RequestOptions } from "../queue/request.js";
import { type ItemShape, volumeOf } from "../queue/shape.js";
import type { SchedulerParts } from "../schedule/batch-planner.js";
import type { AdmissionControl } from "../requests/admission-control.js";
import type { BatcherConfig } from "./batcher-config.js";
import type { BatchLimits } from "../engine/batch-limits.js";
import type { CostModel } from "../cost/cost-model.js";
import type { Cancel } from "@framebatch/host/clock.js";

/** What a batcher needs to predict how long a new request would take. */
type AdmissionParts<Item, Result> = Pick<
  SchedulerParts<Item, Result>,
  "admission" | "limits" | "queue" | "tracker" | "planner"
>;

/** Decides whether a batcher accepts a request, from its queue and the predicted time to the answer. */
export class Admission<Item, Result> {
  readonly #parts: AdmissionParts<Item, Result>;

  constructor(parts: AdmissionParts<Item, Result>) {
    this.#parts = parts;
  }

  /** Returns why a queue of this length takes no other request; `null` if it does. */
  full(queued: number): FramebatchError | null {
    const { admission, tracker } = this.#parts;
    const error = admission.refuseFull(queued);
    if (error !== null) tracker.statistics.refused("queueFull");
    return error;
  }

  /**
   * Returns why a request is not accepted; `null` if it is. One that is only accepted to show how fast the engine is
   * loses its objective.
   * @param older the queued request that this one supersedes
   */
  refusal(
    request: QueuedRequest<Item, Result>,
    { mayBeTrial = true }: RequestOptions,
    nowMs: number,
    older: QueuedRequest<Item, Result> | undefined,
  ): FramebatchError | null {
    const { admission, tracker, queue, limits } = this.#parts;
    const queued = tracker.queued - (older === undefined ? 0 : 1);
    if (queued < admission.openBelow) return null;
    const full = this.full(queued);
    if (full !== null || request.objectiveAtMs === Infinity) return full;
    const replaced = older !== undefined && older.rank <= request.rank ? 1 : 0;
    const ahead = Math.max(0, queue.upTo(request.rank) - replaced);
    const predictedMs = this.predictedMs(request.shape, nowMs, ahead);
    const isIdle = ahead + tracker.running === 0;
    const late = admission.refuseLate(nowMs, () => nowMs - request.enqueuedAtMs + predictedMs, isIdle);
    const mayTry = late !== null && mayBeTrial && isIdle;
    const isTrial = mayTry && admission.startTrial(nowMs, predictedMs, limits.isGuess(request.shape));
    if (isTrial) request.objectiveAtMs = Infinity;
    if (late === null || isTrial) return null;
    tracker.statistics.refused("latency");
    return late;
  }

  /**
   * Predicted time from now to the result of a request that is enqueued now, in milliseconds.
   * @param rowsAhead number of queued rows that run before it
   */
  predictedMs(shape: ItemShape, nowMs: number, rowsAhead: number): number {
    const { admission, planner } = this.#parts;
    const isOverloaded = admission.isOverloaded(nowMs);
    return planner.latencyMs(volumeOf(shape.extents), rowsAhead, isOverloaded, nowMs);
  }
}

/**
 * Minimum planned batch size, if the limits allow it. Without it, a model that seems fastest at batch size 1 would
 * never run a larger batch that could show otherwise.
 */
const MIN_SIZE = 4;

/**
 * Share of `maxLatencyMs` that a stream plans with, so that a run of twice the predicted time sheds none of its
 * requests.
 */
const OBJECTIVE_SHARE = 0.5;

/** The parts of a batcher that determine how much room it has. */
interface StreamRoomParts<Item> {
  readonly config: Pick<BatcherConfig<Item, unknown>, "engines" | "maxQueueSize" | "maxLatencyMs">;
  readonly planner: Pick<SchedulerParts<Item, unknown>["planner"], "bestSize">;
  readonly cost: Pick<CostModel, "lastVolume">;
  readonly limits: Pick<BatchLimits, "rows">;
  readonly admission: Pick<AdmissionControl, "openBelow">;
  readonly tracker: { readonly queued: number; readonly running: number };
  /** Predicted time from now to the result of a request for this item, in milliseconds. */
  readonly predictMs: (item: Item) => number;
}

/**
 * Limits how many requests streams submit: enough to keep the engines busy, and never so many that the batcher would
 * reject them.
 */
export class StreamRoom<Item> {
  readonly #parts: StreamRoomParts<Item>;
  /** Whether a stream waits for more room. Only this class changes it. */
  isWatched = false;
  readonly #listeners = new Set<() => void>();
  #largestBatch = 1;

  constructor(parts: StreamRoomParts<Item>) {
    this.#parts = parts;
  }

  /**
   * Number of requests that keep the engines busy: two batches of the best size per engine, and at least a few, so that
   * the cost model can learn. With a latency objective, the batch size at most doubles at a time, because the predicted
   * time of a larger batch is a guess.
   */
  get targetRequests(): number {
    const { config, planner, cost, limits } = this.#parts;
    const best = Math.max(planner.bestSize(cost.lastVolume), Math.min(MIN_SIZE, limits.rows));
    const size = config.maxLatencyMs === undefined ? best : Math.min(best, this.#largestBatch);
    return Math.min(2 * (config.engines ?? 1) * size, config.maxQueueSize ?? Infinity);
  }

  /**
   * Returns whether the batcher would accept a request for this item with a margin for the latency objective. Always
   * true while no request is open, because waiting could free no more room.
   */
  isFor(item: Item): boolean {
    const { config, admission, predictMs, tracker } = this.#parts;
    const { queued, running } = tracker;
    if (queued + running === 0 || queued < admission.openBelow) return true;
    if (queued >= (config.maxQueueSize ?? Infinity)) return false;
    return predictMs(item) <= OBJECTIVE_SHARE * (config.maxLatencyMs ?? Infinity);
  }

  /** Calls `callback` whenever more room may be available and when the batcher is disposed, until cancelled. */
  onChange(callback: () => void): Cancel {
    this.#listeners.add(callback);
    this.isWatched = true;
    return () => {
      this.#listeners.delete(callback);
      this.isWatched = this.#listeners.size > 0;
    };
  }

  changed(): void {
    for (const callback of this.#listeners) callback();
  }

  /** Records the size of a completed batch. */
  ran({ size }: CompletedBatch): void {
    this.#largestBatch = Math.max(this.#largestBatch, size);
  }
}
