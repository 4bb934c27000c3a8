import type { Clock, FrameClock } from "@framebatch/host/clock.js";
import type { Guard } from "../errors/guard.js";
import type { AdmissionControl } from "../requests/admission-control.js";
import type { RequestTracker } from "../requests/request-tracker.js";
import type { BatchPlanner, PlannerParts } from "./batch-planner.js";
import type { ReleaseRule } from "../decide/release-rules.js";

/** The options of `BatcherConfig` that the scheduler uses. */
export interface SchedulerConfig {
  readonly clock: Clock;
  readonly frames: FrameClock;
  /** `off` dispatches each request alone, at once. */
  readonly release: ReleaseRule | "off";
  readonly engines?: number;
  /** Latency objective, from the call to the result, in milliseconds. @default none */
  readonly maxLatencyMs?: number;
  /** For `window` only: maximum queue time of the oldest request, in milliseconds. @default 10 */
  readonly maxQueueDelayMs?: number;
  /**
   * How long before the engine is free the next batch is dispatched, in milliseconds: the time of a message.
   * @default 0
   */
  readonly handoverMs?: number;
}

/** The parts that a scheduler uses. The batcher owns them. */
export interface SchedulerParts<Item, Result> extends PlannerParts<Item, Result> {
  readonly config: SchedulerConfig;
  readonly planner: BatchPlanner<Item, Result>;
  readonly admission: AdmissionControl;
  readonly guard: Guard;
  readonly tracker: RequestTracker<Item, Result>;
}
