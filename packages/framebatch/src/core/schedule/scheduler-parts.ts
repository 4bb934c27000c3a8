import type { Clock, FrameClock } from "../clock.js";
import type { Guard } from "../guard.js";
import type { AdmissionControl } from "../requests/admission-control.js";
import type { RequestTracker } from "../requests/request-tracker.js";
import type { BatchPlanner, PlannerParts } from "./batch-planner.js";
import type { ReleaseRule } from "./release/index.js";

/** What the scheduler needs of `BatcherConfig`. */
export interface SchedulerConfig {
  readonly clock: Clock;
  readonly frames: FrameClock;
  /** `off` runs each request alone, at once. */
  readonly release: ReleaseRule | "off";
  readonly engines?: number;
  /** Objective from call to result, in milliseconds. @default none */
  readonly maxLatencyMs?: number;
  /** `window` only: longest wait of the oldest request, in milliseconds. @default 10 */
  readonly maxQueueDelayMs?: number;
  /** How long before the engine is free the next batch is handed over, in milliseconds: what a message takes. @default 0 */
  readonly handoverMs?: number;
}

/** The parts that a scheduler works with; they belong to the batcher. */
export interface SchedulerParts<Item, Result> extends PlannerParts<Item, Result> {
  readonly config: SchedulerConfig;
  readonly planner: BatchPlanner<Item, Result>;
  readonly admission: AdmissionControl;
  readonly guard: Guard;
  readonly tracker: RequestTracker<Item, Result>;
}
