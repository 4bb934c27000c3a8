import { frameAtOrAfter, type FrameGrid } from "../../clock.js";
import { type Decision, type ReleaseContext, send, waitUntil } from "./context.js";
import { waitForEngine } from "./idle.js";

/** Minimum wait that is worth a timer. */
const MIN_WAIT_MS = 0.05;

/**
 * Paint-deadline batching: waits while waiting costs no visible latency, because a result is not visible before the
 * frame that paints it. A batch of n rows that starts at s is visible at the first frame f at or after s + t(n) +
 * margin. One more request can join and still make f until f - t(n + 1) - margin, the latest start.
 */
export function frame(context: ReleaseContext): Decision {
  const waiting = waitForEngine(context);
  if (waiting !== null) return waiting;
  const { grid } = context;
  if (grid === null || context.othersWait || context.isFull() || context.isEngineBusy(grid.periodMs))
    return send("idle");
  return beforePaint(context, grid);
}

function beforePaint(context: ReleaseContext, grid: FrameGrid): Decision {
  const { nowMs, queued, targetFrameMs } = context;
  const runMs = context.predictMs(queued);
  // The target frame leaves out the margin: trying for a frame and missing it is no worse than passing it up. The
  // target never moves to a later frame; otherwise a wait could be extended indefinitely.
  const frameMs = Math.min(targetFrameMs ?? Infinity, frameAtOrAfter(grid, context.startMs + runMs));
  const longestMs = Math.max(runMs, context.predictMs(queued + 1));
  const untilMs = Math.min(frameMs - longestMs - context.marginMs, context.mustStartByMs);
  if (untilMs - nowMs <= MIN_WAIT_MS) return targetFrameMs === null ? send("idle") : send("frame", true);
  const free = { untilMs, frameMs };
  return context.doesWaitPayOff() ? waitUntil(untilMs, free) : send("idle", false, free);
}
