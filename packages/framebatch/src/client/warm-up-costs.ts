import { CostModel, type CostModelData } from "../core/cost-model.js";
import type { TimedRun } from "../core/protocol.js";

/** What a call to the worker adds to the run itself, there and back, in milliseconds; measured with Comlink in Chromium. */
const CALL_MS = 0.1;

/** What a batcher can know of run times before its first batch: what the worker measured as it warmed up. */
export function costDataFrom(timings: readonly TimedRun[]): CostModelData {
  const cost = new CostModel(Math.max(1, ...timings.map(({ size }) => size)));
  for (const { size, volume, ms } of timings) cost.observe(size, volume, ms + CALL_MS);
  return cost.toData();
}
