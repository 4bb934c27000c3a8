import type { FramebatchError } from "./errors.js";
import { queueFull, tooLate } from "./refusals.js";

/** Share of the objective that a prediction may use up while overload lasts. */
const SUSTAINED_SHARE = 0.95;

/** What the door looks at. */
export interface Prospect {
  readonly nowMs: number;
  /** Requests that wait already. */
  readonly queued: number;
  /** Predicted time until the result of a request that joins the queue now, in milliseconds. */
  readonly predictedMs: () => number;
}

/**
 * The door: refuses what the queue has no room for, and what cannot meet `maxLatencyMs`. While refusals go on for
 * longer than the objective itself, predictions must keep a margin; for a single burst they need not, since nothing
 * comes after it that could make them worse.
 */
export class Admission {
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

  /** Whether whoever comes may join, with so many waiting: there is room, and nobody has an objective to miss. */
  isOpen(queued: number): boolean {
    return queued < this.#maxQueueSize && this.#maxLatencyMs === Infinity;
  }

  /**
   * Why nobody may join, with so many waiting, or `null` where there is room. Those who come while the queue stays full are told
   * by one and the same error: making it, with its stack, takes longer than all else about a refusal.
   */
  refuseFull(queued: number): FramebatchError | null {
    if (queued < this.#maxQueueSize) this.#full = null;
    else if (this.#full?.details["queued"] !== queued) this.#full = queueFull(queued, this.#maxQueueSize);
    return this.#full;
  }

  /** Why a request may not join, or `null`. */
  refuse(prospect: Prospect): { readonly kind: "queueFull" | "latency"; readonly error: FramebatchError } | null {
    const full = this.refuseFull(prospect.queued);
    if (full !== null) return { kind: "queueFull", error: full };
    if (this.#maxLatencyMs === Infinity) return null;
    const predictedMs = prospect.predictedMs();
    if (predictedMs <= this.#maxLatencyMs * (this.isOverloaded(prospect.nowMs) ? SUSTAINED_SHARE : 1)) return null;
    this.strained(prospect.nowMs);
    return { kind: "latency", error: tooLate(predictedMs, this.#maxLatencyMs) };
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
