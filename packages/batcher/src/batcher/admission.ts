import type { FramebatchError } from "../errors/errors.js";
import type { QueuedRequest } from "../queue/queued-request.js";
import type { RequestOptions } from "../queue/request.js";
import { type ItemShape, volumeOf } from "../queue/shape.js";
import type { SchedulerParts } from "../schedule/scheduler-parts.js";

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
