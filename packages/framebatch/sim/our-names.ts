/** The policies of framebatch itself; every other name in a report is a baseline. */
export const OURS: readonly string[] = ["frame", "idle", "window"];
