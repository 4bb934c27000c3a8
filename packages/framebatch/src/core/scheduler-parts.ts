import type { Admission } from "./admission.js";
import type { BatchPlanner, PlannerParts } from "./batch-planner.js";
import type { BatcherConfig } from "./batcher-config.js";
import type { Guard } from "./guard.js";
import type { Settlement } from "./settlement.js";

/** The parts that a scheduler works with; they belong to the batcher. */
export interface SchedulerParts<Item, Result> extends PlannerParts<Item, Result> {
  readonly config: BatcherConfig<Item, Result>;
  readonly planner: BatchPlanner<Item, Result>;
  readonly admission: Admission;
  readonly guard: Guard;
  readonly settlement: Settlement<Item, Result>;
}
