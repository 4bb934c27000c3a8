/** How urgent a request is, in the words of `scheduler.postTask`. Most urgent first. */
export const PRIORITIES = ["user-blocking", "user-visible", "background"] as const;

export type Priority = (typeof PRIORITIES)[number];

/** Index into `PRIORITIES`. */
export function rankOf(priority: Priority = "user-visible"): number {
  return PRIORITIES.indexOf(priority);
}
