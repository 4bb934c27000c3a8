import type { BatcherStats } from "framebatch";

/** Runs, decayed, that a size must have had for its time to be called measured. */
const MEASURED_WEIGHT = 1;

/** A batch that takes this share of its items' time one by one gains nothing worth its wait. */
const BOUND_SHARE = 0.85;

/** What a batch costs against a single item, both measured. */
export interface BatchCost {
  readonly size: number;
  /** How many times as long as one item the whole batch takes. */
  readonly times: number;
}

/** The cost of the largest batch that ran, where a single item ran too; `null` where either is not known. */
export function measuredBatchCost({ cost }: Pick<BatcherStats, "cost">): BatchCost | null {
  const measured = cost.curve.filter(({ weight }) => weight >= MEASURED_WEIGHT);
  const one = measured.find(({ size }) => size === 1);
  const largest = measured.at(-1);
  if (one === undefined || largest === undefined || largest.size < 2 || one.ms <= 0) return null;
  return { size: largest.size, times: largest.ms / one.ms };
}

/** Whether the time goes into arithmetic that batching cannot save. */
export function isComputeBound({ size, times }: BatchCost): boolean {
  return times >= BOUND_SHARE * size;
}
