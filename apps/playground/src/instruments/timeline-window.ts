import type { CompletedBatch } from "framebatch";
import type { ActivityLog, LoggedFrame, LoggedRequest } from "./activity-log.js";

export const WINDOW_MS = 2000;

/** The log entries that overlap a window of two seconds. */
export interface TimelineWindow {
  readonly fromMs: number;
  readonly toMs: number;
  readonly requests: readonly LoggedRequest[];
  /** Sorted by dispatch time. */
  readonly batches: readonly CompletedBatch[];
  readonly frames: readonly LoggedFrame[];
}

/** Returns the last two seconds of a log before `toMs`. */
export function timelineWindow(
  { requests, batches, frames }: Pick<ActivityLog, "requests" | "batches" | "frames">,
  toMs: number,
): TimelineWindow {
  const fromMs = toMs - WINDOW_MS;
  return {
    fromMs,
    toMs,
    requests: requests.filter(({ askedAtMs, leftAtMs }) => askedAtMs <= toMs && (leftAtMs ?? toMs) >= fromMs),
    batches: batches
      .filter(({ dispatchedAtMs, completedAtMs }) => dispatchedAtMs <= toMs && completedAtMs >= fromMs)
      .sort((a, b) => a.dispatchedAtMs - b.dispatchedAtMs),
    frames: frames.filter(({ atMs }) => atMs >= fromMs && atMs <= toMs),
  };
}

/** The maximum number of queued requests in each of `columns` equal parts of the window. */
export function waitingByColumn({ fromMs, toMs, requests }: TimelineWindow, columns: number): Int32Array {
  const columnAt = (ms: number): number =>
    Math.min(columns, Math.max(0, Math.floor(((ms - fromMs) / (toMs - fromMs)) * columns)));
  const changes = new Int32Array(columns + 2);
  for (const { askedAtMs, leftAtMs } of requests) {
    const [first, last] = [columnAt(askedAtMs), columnAt(leftAtMs ?? toMs)];
    changes[first] = (changes[first] ?? 0) + 1;
    changes[last + 1] = (changes[last + 1] ?? 0) - 1;
  }
  let waiting = 0;
  return changes.map((change) => (waiting += change)).subarray(0, columns);
}

/** Assigns a row (0, 1, …) to each batch, so that batches in flight at the same time are in different rows. */
export function batchRows(batches: readonly CompletedBatch[]): number[] {
  const freeAtMs: number[] = [];
  return batches.map(({ dispatchedAtMs, completedAtMs }) => {
    const free = freeAtMs.findIndex((atMs) => atMs <= dispatchedAtMs);
    const row = free === -1 ? freeAtMs.length : free;
    freeAtMs[row] = completedAtMs;
    return row;
  });
}

/** The batch that runs at a time, or the nearest one; `null` if there is none. */
export function batchAt({ batches }: TimelineWindow, atMs: number): CompletedBatch | null {
  const distance = ({ dispatchedAtMs, completedAtMs }: CompletedBatch): number =>
    Math.max(0, dispatchedAtMs - atMs, atMs - completedAtMs);
  let nearest: CompletedBatch | null = null;
  for (const batch of batches) if (nearest === null || distance(batch) < distance(nearest)) nearest = batch;
  return nearest;
}

/** The logged requests of a batch. */
export function ridersOf({ requests }: TimelineWindow, batch: CompletedBatch): LoggedRequest[] {
  return requests.filter(({ batchId }) => batchId === batch.id);
}
