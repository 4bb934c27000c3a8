import type { ReleaseReason } from "../release-reason.js";

/** A distribution. Percentiles are within 5 % of the true ones; every number is 0 while `count` is 0. */
export interface Distribution {
  readonly count: number;
  readonly sum: number;
  readonly mean: number;
  readonly min: number;
  readonly max: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  /** How many values are at most `le`, ascending; steps at which nothing was added are left out. The last one holds all. */
  readonly buckets: readonly { readonly le: number; readonly count: number }[];
}

/** What is known of one batch size. */
export interface CostPoint {
  /** Rows in the batch. */
  readonly size: number;
  /** Predicted time of one run, in milliseconds. */
  readonly ms: number;
  /** Runs of this size that the prediction rests on, decayed; 0 where it is only inferred from other sizes. */
  readonly weight: number;
}

/**
 * Everything a batcher has done since it was made, or since its last `resetStats()`. A plain object.
 *
 * At every instant `accepted = completed + failed + aborted + timedOut + superseded + shed + disposed + queued + inFlight`
 * and `offered = accepted + refused`. (After a reset, `queued` and `inFlight` requests count as accepted again, and batches in flight as sent again.)
 */
export interface BatcherStats {
  readonly requests: {
    readonly offered: number;
    readonly accepted: number;
    /** Turned away at the door: the queue was full, or `maxLatencyMs` could not be met. */
    readonly refused: { readonly queueFull: number; readonly latency: number };
    readonly completed: number;
    readonly failed: number;
    readonly aborted: number;
    readonly timedOut: number;
    readonly superseded: number;
    /** Accepted, then dropped because `maxLatencyMs` could no longer be met. */
    readonly shed: number;
    readonly disposed: number;
    readonly queued: number;
    readonly inFlight: number;
    /** Requests that shared the row of an identical one, or were answered from the result cache. Counted as completed, too. */
    readonly deduplicated: number;
    readonly cacheHits: number;
  };
  readonly batches: {
    readonly count: number;
    readonly failed: number;
    readonly inFlight: number;
    readonly byReason: Readonly<Record<ReleaseReason, number>>;
  };
  /** Requests per batch, padding left out. */
  readonly batchSize: Distribution;
  /** From the call to the batch's departure. */
  readonly queueMs: Distribution;
  /** From a batch's start on the engine to its answer. */
  readonly runMs: Distribution;
  /** From the call to the result. */
  readonly totalMs: Distribution;
  /** Share of the computed volume (rows times padded sizes) that was padding, 0 to 1. */
  readonly paddingWaste: number;
  /** Share of the time since the first request in which the engine had work, 0 to 1. */
  readonly busyShare: number;
  /** For rows as large as those of the last run. */
  readonly cost: {
    /** The size that the batcher aims for: the smallest whose rate is within 5 % of the best. 1: batching does not pay. */
    readonly targetSize: number;
    readonly curve: readonly CostPoint[];
  };
}
