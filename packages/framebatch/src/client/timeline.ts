import type { CompletedBatch } from "../core/request.js";

/** Marks spans for the browser's performance panel. Each is taken out of the page's own list at once, which never forgets. */
export function markLoad(startMs: number, endMs: number): void {
  mark("framebatch load", startMs, endMs);
}

export function markBatch({ size, reason, dispatchedAtMs, completedAtMs }: CompletedBatch): void {
  mark(`framebatch batch of ${size} (${reason})`, dispatchedAtMs, completedAtMs);
}

function mark(name: string, start: number, end: number): void {
  performance.measure(name, { start, end });
  performance.clearMeasures(name);
}
