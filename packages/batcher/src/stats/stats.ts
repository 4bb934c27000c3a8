import type { ReleaseReason } from "../decide/decide.js";

/** A distribution. Percentiles are within 5 % of the true values. Every number is 0 while `count` is 0. */
export interface Distribution {
  /** Number of values. */
  readonly count: number;
  /** Sum of the values. */
  readonly sum: number;
  /** Arithmetic mean. */
  readonly mean: number;
  /** Smallest value. */
  readonly min: number;
  /** Largest value. */
  readonly max: number;
  /** Median. */
  readonly p50: number;
  /** 95th percentile. */
  readonly p95: number;
  /** 99th percentile. */
  readonly p99: number;
  /**
   * Cumulative buckets: `count` values are at most `le`, ascending. Bounds at which no value was added are left out.
   * The last bucket counts all values.
   */
  readonly buckets: readonly { readonly le: number; readonly count: number }[];
}

/** The learned cost of one batch size. */
export interface CostPoint {
  /** Number of rows in the batch. */
  readonly size: number;
  /** Predicted time of one run, in milliseconds. */
  readonly ms: number;
  /** Decayed number of runs of this size behind the prediction; 0 if it is only inferred from other sizes. */
  readonly weight: number;
}

/**
 * Statistics of a batcher since its creation or its last `resetStats()`, as a plain object.
 *
 * At any time, `accepted = completed + failed + aborted + timedOut + superseded + shed + disposed + queued + inFlight`
 * and `offered = accepted + refused`. After a reset, requests that are queued or in flight count as accepted again, and
 * batches in flight count as dispatched again.
 */
export interface BatcherStats {
  /** Requests by outcome, since the start or the last `resetStats()`. */
  readonly requests: {
    /** All requests: `accepted` plus `refused`. */
    readonly offered: number;
    /** Requests that were not refused. */
    readonly accepted: number;
    /** Requests rejected at the call: `queueFull` for lack of room, `latency` because of `maxLatencyMs`. */
    readonly refused: { readonly queueFull: number; readonly latency: number };
    /** Requests that were answered with a result. */
    readonly completed: number;
    /** Requests that rejected because of an error, for example of the model. */
    readonly failed: number;
    /** Requests that the caller cancelled. */
    readonly aborted: number;
    /** Requests whose `timeoutMs` passed. */
    readonly timedOut: number;
    /** Requests that were replaced by a newer one with the same `key`. */
    readonly superseded: number;
    /** Requests that were accepted and later dropped, because `maxLatencyMs` could no longer be met. */
    readonly shed: number;
    /** Requests that were open when the batcher was disposed. */
    readonly disposed: number;
    /** Requests that are queued now. */
    readonly queued: number;
    /** Requests whose batch is in flight now. */
    readonly inFlight: number;
    /** Requests answered through the row of an identical one. They also count as completed. */
    readonly deduplicated: number;
    /** Requests answered from the result cache. They also count as completed. */
    readonly cacheHits: number;
  };
  /** Batches by outcome and by release reason. */
  readonly batches: {
    /** Batches that were dispatched. */
    readonly count: number;
    /** Batches that failed as a whole. */
    readonly failed: number;
    /** Batches that are in flight now. */
    readonly inFlight: number;
    /** Number of dispatched batches by release reason. */
    readonly byReason: Readonly<Record<ReleaseReason, number>>;
  };
  /** Number of requests per batch, without padding. */
  readonly batchSize: Distribution;
  /** Time from the call to the dispatch of the batch, in milliseconds. */
  readonly queueMs: Distribution;
  /** Time from a batch's start on the engine to its answer, in milliseconds. */
  readonly runMs: Distribution;
  /** Time from the call to the result, in milliseconds. */
  readonly totalMs: Distribution;
  /** Share of the computed volume (rows times padded sizes) that was padding, from 0 to 1. */
  readonly paddingWaste: number;
  /** Share of the time since the first request in which the engine was busy, from 0 to 1. */
  readonly busyShare: number;
  /** The learned cost, for rows as large as those of the last run. */
  readonly cost: {
    /**
     * The batch size that the batcher aims for: the largest whose rate is within 1 % of the best, or 1 if batching does
     * not pay off.
     */
    readonly targetSize: number;
    /** Predictions for a series of batch sizes, ascending. Empty until a batch has run. */
    readonly curve: readonly CostPoint[];
  };
}
