import type { FramebatchError } from "../errors/errors.js";
import type { CompletedBatch } from "../queue/request.js";
import { queueFull, tooLate } from "./request-errors.js";

/** Share of the latency objective that a predicted latency may take during sustained overload. */
const SUSTAINED_SHARE = 0.95;

/** Time after a slow run after which a request shows how fast the engine is now, in milliseconds. */
const TRIAL_AFTER_MS = 1000;

/**
 * Rejects requests when the queue is full or when they cannot meet `maxLatencyMs`. If rejections continue for longer
 * than the objective, predictions must keep a margin. A single burst needs no margin, because no later requests can
 * make its predictions worse.
 */
export class AdmissionControl {
  readonly #maxQueueSize: number;
  readonly #maxLatencyMs: number;
  /** Every request is accepted while fewer than this are queued: there is room, and no latency objective. */
  readonly openBelow: number;
  #full: FramebatchError | null = null;
  #strainedSinceMs = Infinity;
  #strainedUntilMs = -Infinity;
  /** When a run was last too slow; before the first, when a request first seemed too late. */
  #slowAtMs: number | null = null;

  /** @param maxLatencyMs latency objective in milliseconds; `Infinity` for none */
  constructor(maxQueueSize: number, maxLatencyMs: number) {
    this.#maxQueueSize = maxQueueSize;
    this.#maxLatencyMs = maxLatencyMs;
    this.openBelow = maxLatencyMs === Infinity ? maxQueueSize : 0;
  }

  /** Whether the queue is not full at this length. */
  hasRoom(queued: number): boolean {
    if (queued >= this.#maxQueueSize) return false;
    this.#full = null;
    return true;
  }

  /**
   * Returns the error if the queue is full at this length, otherwise `null`. While the queue stays full, all requests
   * get the same error object, because creating one, with its stack, takes longer than the rest of a rejection.
   */
  refuseFull(queued: number): FramebatchError | null {
    if (this.hasRoom(queued)) return null;
    if (this.#full?.details["queued"] !== queued) this.#full = queueFull(queued, this.#maxQueueSize);
    return this.#full;
  }

  /**
   * Returns the error if the predicted latency, in milliseconds, misses the objective, otherwise `null`.
   * @param isIdle whether nothing runs, nor is queued before it: no later request can then make the prediction worse
   */
  refuseLate(nowMs: number, predictMs: () => number, isIdle: boolean): FramebatchError | null {
    if (this.#maxLatencyMs === Infinity) return null;
    const predictedMs = predictMs();
    const share = !isIdle && this.isOverloaded(nowMs) ? SUSTAINED_SHARE : 1;
    if (predictedMs <= this.#maxLatencyMs * share) return null;
    this.strained(nowMs);
    return tooLate(predictedMs, this.#maxLatencyMs);
  }

  /**
   * Returns whether a request for an idle engine is accepted although the engine is predicted to be too slow: if no run
   * has been too slow for a while, or if the prediction is a guess. Without such trials, one slow run could make it
   * reject every later request, and a small item every larger one.
   * @param predictedMs predicted time on the engine, in milliseconds
   * @param isGuess whether no item of a similar volume has run
   */
  startTrial(nowMs: number, predictedMs: number, isGuess = false): boolean {
    this.#slowAtMs ??= nowMs;
    return predictedMs > this.#maxLatencyMs && (isGuess || nowMs - this.#slowAtMs >= TRIAL_AFTER_MS);
  }

  /** Records a batch that has run. */
  ran({ dispatchedAtMs, completedAtMs }: Pick<CompletedBatch, "dispatchedAtMs" | "completedAtMs">): void {
    if (completedAtMs - dispatchedAtMs > this.#maxLatencyMs) this.#slowAtMs = completedAtMs;
  }

  /** Records that a request was rejected or shed. */
  strained(nowMs: number): void {
    if (nowMs > this.#strainedUntilMs) this.#strainedSinceMs = nowMs;
    this.#strainedUntilMs = nowMs + this.#maxLatencyMs;
  }

  /** Whether rejections have continued for longer than the objective, without a pause as long as the objective. */
  isOverloaded(nowMs: number): boolean {
    return nowMs <= this.#strainedUntilMs && nowMs - this.#strainedSinceMs >= this.#maxLatencyMs;
  }
}
