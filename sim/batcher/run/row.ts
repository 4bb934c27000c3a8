/** One policy's result in one cell: a row of the report. Times are in milliseconds. */
export interface Row {
  readonly cost: string;
  readonly arrivals: string;
  readonly noise: number;
  readonly seed: number;
  readonly policy: string;
  /**
   * Latency of answered requests. A request that is open at the end counts with its age, so a policy gains nothing by
   * leaving requests unanswered.
   */
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly meanMs: number;
  /** Mean time from a burst to its first answer. For requests that arrive alone, their own latency. */
  readonly firstAnswerMs: number;
  readonly p99Ms: number;
  /**
   * In "mixed priorities", the latencies above and the frames below exclude background requests; this value covers
   * them.
   */
  readonly backgroundP99Ms: number | null;
  readonly throughputPerSec: number;
  /** Mean number of frames from the frame of the request to the frame that can show its answer, both included. */
  readonly framesToPaint: number;
  readonly busyShare: number;
  readonly deviceMsPerRequest: number;
  /** The share of offered requests that are answered within the objective (200 ms if the cell sets none). */
  readonly goodShare: number;
  readonly answeredShare: number;
  /** Median time to a refusal; `null` if nothing was refused. */
  readonly refusalP50Ms: number | null;
  readonly runs: number;
  readonly meanBatchSize: number;
  readonly paddingWaste: number;
  /** Timers that fired. */
  readonly wakeUps: number;
  /** Timers that fired while nothing was queued or running. */
  readonly idleWakeUps: number;
  readonly offered: number;
  readonly completed: number;
  readonly refused: number;
}
