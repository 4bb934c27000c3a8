/** Priorities of a request, in the terms of `scheduler.postTask`, most urgent first. */
export const PRIORITIES = ["user-blocking", "user-visible", "background"] as const;

/**
 * How urgent a request is, in the terms of `scheduler.postTask`: `"user-blocking"`, `"user-visible"` or `"background"`,
 * most urgent first.
 */
export type Priority = (typeof PRIORITIES)[number];

/** The rank of requests without a priority of their own. */
export const USER_VISIBLE = PRIORITIES.indexOf("user-visible");

/** The rank of requests for which nobody waits at the screen. Those of a lower rank are urgent. */
export const BACKGROUND = PRIORITIES.indexOf("background");

/** Returns the index of a priority in `PRIORITIES`. */
export function rankOf(priority: Priority = "user-visible"): number {
  return PRIORITIES.indexOf(priority);
}
