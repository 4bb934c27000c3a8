/** What one policy did in one cell: a row of the report. Times are in milliseconds. */
export interface Row {
  readonly cost: string;
  readonly arrivals: string;
  readonly noise: number;
  readonly seed: number;
  readonly policy: string;
  /** Latency of answered requests. A request that was still open at the end counts with its age, so nobody gains by leaving work. */
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly meanMs: number;
  /** Mean time from a burst to the first of its answers; of requests that come alone, their own. */
  readonly firstAnswerMs: number;
  readonly p99Ms: number;
  /** In "mixed priorities" the latencies above, and the frames below, leave background requests out; here they are. */
  readonly backgroundP99Ms: number | null;
  readonly throughputPerSec: number;
  /** Mean frames from the one in which a request is made to the one that can show its answer, both counted. */
  readonly framesToPaint: number;
  readonly busyShare: number;
  readonly deviceMsPerRequest: number;
  /** Answered within the objective (200 ms where the cell has none), of all that were offered. */
  readonly goodShare: number;
  readonly answeredShare: number;
  /** Median time to a refusal; `null` where nothing was refused. */
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
