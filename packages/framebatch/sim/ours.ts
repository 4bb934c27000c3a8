import { Batcher } from "../src/core/batcher/batcher.js";
import { CostModel, type CostModelData } from "../src/core/cost/cost-model.js";
import type { Policy } from "./policy.js";
import { REFERENCE_VOLUME, type SimRequest } from "./sim-request.js";

/** The window of `window`, as the servers' defaults have it. */
const MAX_QUEUE_DELAY_MS = 10;

/** As a model has it. */
const HANDOVER_MS = 2;

/** Rows of the warm-up runs that belong to loading a model; each is run twice. */
const WARM_UP_ROWS = [1, 2, 8];

function warmedUp(maxBatchSize: number, volume: number, warmUpMs: (rows: number) => number): CostModelData {
  const cost = new CostModel(maxBatchSize);
  for (const rows of [...WARM_UP_ROWS, ...WARM_UP_ROWS]) cost.observe(rows, volume, warmUpMs(rows));
  return cost.toData();
}

/** framebatch's own batcher, the very code that ships. */
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
