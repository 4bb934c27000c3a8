import type { BatcherStats } from "framebatch";
import { rounded } from "./rounded.js";

/** Minimum decayed number of runs of a size whose time counts as measured. */
const MEASURED_WEIGHT = 1;

/** A model is compute-bound if a batch takes at least this fraction of the time of its items one by one. */
const BOUND_SHARE = 0.85;

/** The measured cost of a batch relative to a single item. */
export interface BatchCost {
  readonly size: number;
  /** Time of the batch divided by the time of one item. */
  readonly times: number;
}

/** The cost of the largest measured batch; `null` if no batch or no single item was measured. */
export function measuredBatchCost({ cost }: Pick<BatcherStats, "cost">): BatchCost | null {
  const measured = cost.curve.filter(({ weight }) => weight >= MEASURED_WEIGHT);
  const one = measured.find(({ size }) => size === 1);
  const largest = measured.at(-1);
  if (one === undefined || largest === undefined || largest.size < 2 || one.ms <= 0) return null;
  return { size: largest.size, times: rounded(largest.ms / one.ms) };
}

/** True if arithmetic that batching cannot save dominates the run time. */
export function isComputeBound({ size, times }: BatchCost): boolean {
  return times >= BOUND_SHARE * size;
}
