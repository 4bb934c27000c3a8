import type { Cell } from "../model/cells.js";
import type { Policy } from "../policy.js";
import { endMs, runCell } from "../run/run-cell.js";

/** What another implementation of a batcher needs to replay a cell. Times are in milliseconds. */
export interface Trace {
  readonly cost: string;
  readonly arrivals: string;
  readonly seed: number;
  readonly maxBatchSize: number;
  /** The longest allowed time from request to result; `null` if the cell sets none. */
  readonly objectiveMs: number | null;
  /** Run time of a batch of 1, 2, … rows, without noise. */
  readonly runMs: readonly number[];
  readonly arrivalsMs: readonly number[];
  /** Whether each request is a caller that enqueues again as soon as it has its answer. */
  readonly isClosed: boolean;
  /** No caller enqueues after this time. */
  readonly untilMs: number;
  /** The replay ends here, whatever is open. */
  readonly endMs: number;
}

/** Records the requests of a cell, without noise. Nothing is answered, so a caller of a closed loop makes one request. */
export function traceOf(cell: Cell, seed: number): Trace {
  const arrivalsMs: number[] = [];
  let isClosed = false;
  const recorder: Policy = () => ({
    enqueue(item) {
      arrivalsMs.push(item.arrivedAtMs);
      isClosed = item.onSettled !== null;
    },
    stop() {},
  });
  runCell(cell, 0, seed, "trace", recorder);
  return {
    cost: cell.cost.name,
    arrivals: cell.arrivals,
    seed,
    maxBatchSize: cell.maxBatchSize,
    objectiveMs: cell.objectiveMs ?? null,
    runMs: Array.from({ length: cell.maxBatchSize }, (_, i) => cell.cost.ms(i + 1)),
    arrivalsMs,
    isClosed,
    untilMs: cell.horizonMs,
    endMs: endMs(cell),
  };
}
