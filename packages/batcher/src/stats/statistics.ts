import type { CostModel } from "../cost/cost-model.js";
import type { ReleaseReason } from "../decide/decide.js";
import type { BatcherStats, Distribution } from "./stats.js";

/**
 * Each bucket is wider than the one before by this factor, so its geometric middle is within 4 % of any value in it.
 */
const GROWTH = 1.08;

const LOG_GROWTH = Math.log(GROWTH);

/** Values up to this share the first bucket. It is a nanosecond if the unit is the millisecond. */
const LEAST = 1e-6;

/**
 * A histogram of non-negative numbers with buckets that grow geometrically. Recording takes O(1) time and allocates
 * memory only for new buckets.
 */
export class LogHistogram {
  readonly #counts: number[] = [];
  #count = 0;
  #sum = 0;
  #min = Infinity;
  #max = 0;

  record(value: number): void {
    const bucket = value <= LEAST ? 0 : 1 + Math.floor(Math.log(value / LEAST) / LOG_GROWTH);
    while (this.#counts.length <= bucket) this.#counts.push(0);
    this.#counts[bucket]! += 1;
    this.#count += 1;
    this.#sum += value;
    if (value < this.#min) this.#min = value;
    if (value > this.#max) this.#max = value;
  }

  snapshot(): Distribution {
    if (this.#count === 0) return { count: 0, sum: 0, mean: 0, min: 0, max: 0, p50: 0, p95: 0, p99: 0, buckets: [] };
    return {
      count: this.#count,
      sum: this.#sum,
      mean: this.#sum / this.#count,
      min: this.#min,
      max: this.#max,
      p50: this.#quantile(0.5),
      p95: this.#quantile(0.95),
      p99: this.#quantile(0.99),
      buckets: this.#buckets(),
    };
  }

  /** Returns the buckets that hold values. Their bounds never change, so that snapshots can be compared. */
  #buckets(): { le: number; count: number }[] {
    const buckets: { le: number; count: number }[] = [];
    let sum = 0;
    for (const [bucket, count] of this.#counts.entries()) {
      if (count === 0) continue;
      sum += count;
      buckets.push({ le: upperBoundOf(bucket), count: sum });
    }
    return buckets;
  }

  /** Returns the nearest-rank quantile, rounded down: 0.5 of four values is the second. */
  #quantile(share: number): number {
    let left = Math.max(1, Math.ceil(share * this.#count));
    const bucket = this.#counts.findIndex((count) => (left -= count) <= 0);
    const middle = bucket === 0 ? 0 : LEAST * GROWTH ** (bucket - 0.5);
    return Math.max(this.#min, Math.min(this.#max, middle));
  }
}

/** Number of buckets per octave: 1.08 to the power of 9 is about 2. */
const OCTAVE = 9;

/**
 * Returns bucket bounds from `least` to `most`, an octave apart. They are the same for every histogram, whatever was
 * recorded.
 */
export function bucketBounds(least: number, most: number): readonly number[] {
  const bounds: number[] = [];
  const first = Math.ceil(Math.log(least / LEAST) / LOG_GROWTH);
  for (let bucket = first; upperBoundOf(bucket) <= most; bucket += OCTAVE) bounds.push(upperBoundOf(bucket));
  return bounds;
}

/** Rounds to four digits, which is accurate enough and easy to read. */
function upperBoundOf(bucket: number): number {
  return Number((LEAST * GROWTH ** bucket).toPrecision(4));
}

/** Ways in which an accepted request can end without a result. */
export type Failure = "failed" | "aborted" | "timedOut" | "superseded" | "shed" | "disposed";

/** Reasons for rejecting a request at `enqueue`. */
type Refusal = "queueFull" | "latency";

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
