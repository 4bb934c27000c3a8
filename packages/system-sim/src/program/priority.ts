import type { CallOptions } from "./scenario.js";

/** The place of a priority among all, the most urgent first. A call without one is of `user-visible`. */
export function rankOf({ priority = "user-visible" }: Pick<CallOptions, "priority">): number {
  return ["user-blocking", "user-visible", "background"].indexOf(priority);
}
