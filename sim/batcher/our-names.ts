/** framebatch's own policies. Every other name in a report is a baseline. */
export const OURS: readonly string[] = ["frame", "idle", "window"];
