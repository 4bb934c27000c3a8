import type { FramebatchError } from "../errors.js";
import { queueFull, tooLate } from "./request-errors.js";

/** Share of the objective that a prediction may use up while overload lasts. */
const SUSTAINED_SHARE = 0.95;

/**
 * The door: refuses what the queue has no room for, and what cannot meet `maxLatencyMs`. While refusals go on for
 * longer than the objective itself, predictions must keep a margin; for a single burst they need not, since nothing
 * comes after it that could make them worse.
 */
export class AdmissionControl {
  readonly #maxQueueSize: number;
  readonly #maxLatencyMs: number;
  #full: FramebatchError | null = null;
  #strainedSinceMs = Infinity;
  #strainedUntilMs = -Infinity;

  /** @param maxLatencyMs `Infinity` for no objective */
  constructor(maxQueueSize: number, maxLatencyMs: number) {
    this.#maxQueueSize = maxQueueSize;
    this.#maxLatencyMs = maxLatencyMs;
  }

  /** Whether every request may join, with so many waiting: there is room, and no objective to miss. */
  isOpen(queued: number): boolean {
    return queued < this.#maxQueueSize && this.#maxLatencyMs === Infinity;
  }

  /**
   * Why no request may join, with so many waiting, or `null` where there is room. While the queue stays full, all are given one
   * and the same error: making it, with its stack, takes longer than all else about a refusal.
   */
  refuseFull(queued: number): FramebatchError | null {
    if (queued < this.#maxQueueSize) this.#full = null;
    else if (this.#full?.details["queued"] !== queued) this.#full = queueFull(queued, this.#maxQueueSize);
    return this.#full;
  }

  /** Why a request may not join that is predicted to wait so long for its result, in milliseconds, or `null`. */
  refuseLate(nowMs: number, predictMs: () => number): FramebatchError | null {
    if (this.#maxLatencyMs === Infinity) return null;
    const predictedMs = predictMs();
    if (predictedMs <= this.#maxLatencyMs * (this.isOverloaded(nowMs) ? SUSTAINED_SHARE : 1)) return null;
    this.strained(nowMs);
    return tooLate(predictedMs, this.#maxLatencyMs);
  }

  /** Notes that a request was turned away or dropped. */
  strained(nowMs: number): void {
    if (nowMs > this.#strainedUntilMs) this.#strainedSinceMs = nowMs;
    this.#strainedUntilMs = nowMs + this.#maxLatencyMs;
  }

  /** Whether requests have been turned away for longer than the objective, without a pause as long. */
  isOverloaded(nowMs: number): boolean {
    return nowMs <= this.#strainedUntilMs && nowMs - this.#strainedSinceMs >= this.#maxLatencyMs;
  }
}
