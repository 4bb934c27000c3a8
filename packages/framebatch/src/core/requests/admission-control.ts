import type { FramebatchError } from "../errors.js";
import { queueFull, tooLate } from "./request-errors.js";

/** Share of the latency objective that a predicted latency may take during sustained overload. */
const SUSTAINED_SHARE = 0.95;

/**
 * Rejects requests when the queue is full or when they cannot meet `maxLatencyMs`. If rejections continue for longer
 * than the objective, predictions must keep a margin. A single burst needs no margin, because no later requests can
 * make its predictions worse.
 */
export class AdmissionControl {
  readonly #maxQueueSize: number;
  readonly #maxLatencyMs: number;
  #full: FramebatchError | null = null;
  #strainedSinceMs = Infinity;
  #strainedUntilMs = -Infinity;

  /** @param maxLatencyMs latency objective in milliseconds; `Infinity` for none */
  constructor(maxQueueSize: number, maxLatencyMs: number) {
    this.#maxQueueSize = maxQueueSize;
    this.#maxLatencyMs = maxLatencyMs;
  }

  /**
   * Whether every request is accepted at this queue length: the queue is not full, and there is no latency objective.
   */
  isOpen(queued: number): boolean {
    return queued < this.#maxQueueSize && this.#maxLatencyMs === Infinity;
  }

  /**
   * Returns the error if the queue is full at this length, otherwise `null`. While the queue stays full, all requests
   * get the same error object, because creating one, with its stack, takes longer than the rest of a rejection.
   */
  refuseFull(queued: number): FramebatchError | null {
    if (queued < this.#maxQueueSize) this.#full = null;
    else if (this.#full?.details["queued"] !== queued) this.#full = queueFull(queued, this.#maxQueueSize);
    return this.#full;
  }

  /** Returns the error if the predicted latency, in milliseconds, misses the objective, otherwise `null`. */
  refuseLate(nowMs: number, predictMs: () => number): FramebatchError | null {
    if (this.#maxLatencyMs === Infinity) return null;
    const predictedMs = predictMs();
    if (predictedMs <= this.#maxLatencyMs * (this.isOverloaded(nowMs) ? SUSTAINED_SHARE : 1)) return null;
    this.strained(nowMs);
    return tooLate(predictedMs, this.#maxLatencyMs);
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
