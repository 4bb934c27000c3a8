import type { BatchedModel, ModelStats } from "framebatch";
import { callerOf, type StatelessModel } from "../measure/callers.js";
import type { Load } from "../measure/load.js";
import { sharingOf } from "../measure/sharing.js";

/** Number of items that are sent at a time. */
const TOGETHER = 8;

interface CheckSignals {
  /** Aborts when the visitor stops the comparison. */
  readonly stopping: AbortSignal;
  /** Aborts when the time for the check is over. */
  readonly late: AbortSignal;
}

/**
 * Lets the items of a load decide whether batches are right, where generated ones could not. When the time is over, the
 * comparison goes on: an item of a slow model may take longer than all of it. Rejects if an item fails, or with the reason
 * of `stopping`.
 */
export async function completeCheck(
  model: Pick<BatchedModel, "stats"> & StatelessModel,
  load: Pick<Load, "callers" | "item" | "texts">,
  { stopping, late }: CheckSignals,
): Promise<void> {
  const signal = AbortSignal.any([stopping, late]);
  const callers = Math.min(load.callers, TOGETHER);
  const one = callerOf(model, load);
  for (let turn = 0; !isComplete(model.stats()) && !late.aborted; turn++) {
    const items = Array.from({ length: callers }, (_, caller) => load.item(caller, turn));
    await Promise.all(items.map((item) => one.predict(item, { signal }))).catch((error: unknown) => {
      if (error !== late.reason) throw error;
    });
  }
}

/** Texts have a check of their own, of which of them share a step. */
function isComplete(stats: ModelStats): boolean {
  const sharing = sharingOf(stats);
  return sharing === undefined ? stats.batchCheck.outcome !== "inconclusive" : sharing !== null;
}
