import type { CallOptions } from "./scenario.js";

/** All priorities, the most urgent first. */
export const PRIORITIES = ["user-blocking", "user-visible", "background"] as const;

/** The place of a priority among all, the most urgent first. A call without one is of `user-visible`. */
export function rankOf({ priority = "user-visible" }: Pick<CallOptions, "priority">): number {
  return PRIORITIES.indexOf(priority);
}
