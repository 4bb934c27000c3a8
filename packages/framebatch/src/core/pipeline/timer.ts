import type { Clock } from "../clock.js";

/** The part of a clock that a pipeline needs. */
export type Timer = Pick<Clock, "now" | "schedule">;
