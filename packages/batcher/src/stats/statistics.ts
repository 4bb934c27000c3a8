import type { CostModel } from "../cost/cost-model.js";
import type { ReleaseReason } from "../decide/decision.js";
import { LogHistogram } from "./log-histogram.js";
import type { BatcherStats } from "./stats.js";

/** Ways in which an accepted request can end without a result. */
export type Failure = "failed" | "aborted" | "timedOut" | "superseded" | "shed" | "disposed";

/** Reasons for rejecting a request at `enqueue`. */
export type Refusal = "queueFull" | "latency";

/** Counts the events of a batcher. Every recording method takes O(1) time. */
export class Statistics {
  readonly #requests: Record<Failure | "accepted" | "completed" | "deduplicated" | "cacheHits", number> = {
    accepted: 0,
    completed: 0,
    failed: 0,
    aborted: 0,
    timedOut: 0,
    superseded: 0,
    shed: 0,
    disposed: 0,
    deduplicated: 0,
    cacheHits: 0,
  };
  readonly #refused: Record<Refusal, number> = { queueFull: 0, latency: 0 };
  /** In the order used in reports. */
  readonly #byReason: Record<ReleaseReason, number> = {
    full: 0,
    idle: 0,
    frame: 0,
    window: 0,
    flush: 0,
    unbatched: 0,
    retry: 0,
  };
  readonly #batchSize = new LogHistogram();
  readonly #queueMs = new LogHistogram();
  readonly #runMs = new LogHistogram();
  readonly #totalMs = new LogHistogram();
  #failedBatches = 0;
  #usedVolume = 0;
  #computedVolume = 0;
  #busyMs = 0;
  #busySinceMs = 0;
  #sinceMs: number | null = null;

  /**
   * Carries over open requests, so that the sums still add up after a reset. The caller must report batches in flight
   * again.
   */
  constructor(open: { readonly requests: number; readonly nowMs: number } | null = null) {
    if (open === null) return;
    this.#requests.accepted = open.requests;
    if (open.requests === 0) return;
    this.#sinceMs = open.nowMs;
    this.#busySinceMs = open.nowMs;
  }

  accepted(nowMs: number): void {
    this.#requests.accepted += 1;
    this.#sinceMs ??= nowMs;
  }

  refused(refusal: Refusal): void {
    this.#refused[refusal] += 1;
  }

  /** Counts a request that was answered through the row of an identical one, or from the result cache. */
  shared(how: "deduplicated" | "cacheHits"): void {
    this.#requests[how] += 1;
  }

  completed(totalMs: number): void {
    this.#requests.completed += 1;
    this.#totalMs.record(totalMs);
  }

  ended(failure: Failure): void {
    this.#requests[failure] += 1;
  }

  /** Records that a request's row was dispatched with a batch. */
  departed(queueMs: number): void {
    this.#queueMs.record(queueMs);
  }

  batchDispatched(batch: {
    readonly size: number;
    readonly reason: ReleaseReason;
    readonly usedVolume: number;
    readonly computedVolume: number;
    /** Whether the engine was idle until now. */
    readonly wasIdle: boolean;
    readonly nowMs: number;
  }): void {
    this.#byReason[batch.reason] += 1;
    this.#batchSize.record(batch.size);
    this.#usedVolume += batch.usedVolume;
    this.#computedVolume += batch.computedVolume;
    if (batch.wasIdle) this.#busySinceMs = batch.nowMs;
  }

  batchEnded(batch: {
    readonly runMs: number;
    readonly hasFailed: boolean;
    readonly isIdleNow: boolean;
    readonly nowMs: number;
  }): void {
    this.#runMs.record(Math.max(0, batch.runMs));
    if (batch.hasFailed) this.#failedBatches += 1;
    if (batch.isIdleNow) this.#busyMs += this.#busyUntil(batch.nowMs);
  }

  snapshot(now: {
    readonly nowMs: number;
    readonly queued: number;
    readonly running: number;
    readonly batches: number;
    readonly cost: CostModel;
    /** The batch size with the best rate. */
    readonly targetSize: number;
  }): BatcherStats {
    const { accepted } = this.#requests;
    const refused = { ...this.#refused };
    return {
      requests: {
        ...this.#requests,
        offered: accepted + refused.queueFull + refused.latency,
        refused,
        queued: now.queued,
        inFlight: now.running,
      },
      batches: {
        count: Object.values(this.#byReason).reduce((sum, count) => sum + count, 0),
        failed: this.#failedBatches,
        inFlight: now.batches,
        byReason: { ...this.#byReason },
      },
      batchSize: this.#batchSize.snapshot(),
      queueMs: this.#queueMs.snapshot(),
      runMs: this.#runMs.snapshot(),
      totalMs: this.#totalMs.snapshot(),
      paddingWaste: this.#computedVolume === 0 ? 0 : 1 - this.#usedVolume / this.#computedVolume,
      busyShare: this.#busyShare(now.nowMs, now.batches > 0),
      cost: {
        targetSize: now.targetSize,
        curve: now.cost.curve(now.cost.lastVolume),
      },
    };
  }

  #busyShare(nowMs: number, isBusy: boolean): number {
    if (this.#sinceMs === null || nowMs <= this.#sinceMs) return 0;
    const busyMs = this.#busyMs + (isBusy ? this.#busyUntil(nowMs) : 0);
    return Math.min(1, busyMs / (nowMs - this.#sinceMs));
  }

  /** Returns the current busy time, in milliseconds. Work before the first request does not count. */
  #busyUntil(nowMs: number): number {
    return nowMs - Math.max(this.#busySinceMs, this.#sinceMs ?? nowMs);
  }
}
