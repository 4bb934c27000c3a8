import { Batcher } from "@framebatch/batcher/batcher/batcher.js";
import { CostModel, type CostModelData } from "@framebatch/batcher/cost/cost-model.js";
import type { Policy } from "./policy.js";
import { REFERENCE_VOLUME, type SimRequest } from "./run/sim-request.js";

/** The delay of the `window` policy, as in the defaults of batching servers, in milliseconds. */
const MAX_QUEUE_DELAY_MS = 10;

/** The same value as for a model. */
const HANDOVER_MS = 2;

/** Row counts of the warm-up runs while a model loads; each runs twice. */
const WARM_UP_ROWS = [1, 2, 8];

/** Returns what a warm-up measures. */
export function warmedUp(maxBatchSize: number, volume: number, warmUpMs: (rows: number) => number): CostModelData {
  const cost = new CostModel(maxBatchSize);
  for (const rows of [...WARM_UP_ROWS, ...WARM_UP_ROWS]) cost.observe(rows, volume, warmUpMs(rows));
  return cost.toData();
}

/** framebatch's own batcher: the code that ships. */
export function framebatch(release: "frame" | "idle" | "window" | "off"): Policy {
  return ({ clock, frames, engine, maxBatchSize, objectiveMs, isRagged, messageMs = 0, warmUpMs }) => {
    const batcher = new Batcher<SimRequest, number>({
      clock,
      frames,
      engine,
      release,
      maxBatchSize,
      handoverMs: messageMs > 0 ? HANDOVER_MS : 0,
      costData: warmedUp(maxBatchSize, isRagged ? REFERENCE_VOLUME : 1, warmUpMs),
      maxQueueDelayMs: MAX_QUEUE_DELAY_MS,
      ...(objectiveMs !== undefined && { maxLatencyMs: objectiveMs }),
      ...(isRagged && { shapeOf: (item: SimRequest) => ({ group: "", extents: item.extents }) }),
    });
    return {
      enqueue(item, sink) {
        batcher.enqueue(item, sink, { priority: item.priority });
      },
      stop() {},
    };
  };
}
