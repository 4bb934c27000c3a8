import type { Admission } from "./admission.js";
import type { Arrivals } from "./arrivals.js";
import type { BatchRunner } from "./batch-runner.js";
import type { BatcherConfig } from "./batcher-config.js";
import type { CostModel } from "./cost-model.js";
import type { Forecast } from "./forecast.js";
import type { Guard } from "./guard.js";
import type { RequestQueue } from "./request-queue.js";
import type { Settlement } from "./settlement.js";
import type { SizeLimit } from "./size-limit.js";

/** The parts that a dispatcher works with; they belong to the batcher. */
export interface DispatcherParts<Item, Result> {
  readonly config: BatcherConfig<Item, Result>;
  readonly limit: SizeLimit;
  readonly queue: RequestQueue<Item, Result>;
  readonly cost: CostModel;
  readonly arrivals: Arrivals;
  readonly admission: Admission;
  readonly forecast: Forecast;
  readonly guard: Guard;
  readonly settlement: Settlement<Item, Result>;
  readonly runner: BatchRunner<Item, Result>;
}
