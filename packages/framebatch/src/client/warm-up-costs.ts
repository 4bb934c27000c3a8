import { CostModel, type CostModelData } from "../core/cost-model.js";
import type { TimedRun } from "../core/protocol.js";

/** What a call to the worker adds to the run itself, there and back, in milliseconds; measured with Comlink in Chromium. */
const CALL_MS = 0.1;

/**
 * What a batcher can know of run times before its first batch: what an earlier session learned, brought up to date by what
 * the worker measured as it warmed up.
 */
export function costDataFrom(timings: readonly TimedRun[], learned: CostModelData | null = null): CostModelData {
  const cost = new CostModel(Math.max(1, ...timings.map(({ size }) => size)));
  if (learned !== null) cost.restore(learned);
  for (const run of timings) cost.observe(run.size, run.volume, callMs(run));
  return cost.toData();
}

/** What a run that was timed in the worker takes as seen from the page, in milliseconds. */
export function callMs({ ms }: TimedRun): number {
  return ms + CALL_MS;
}
